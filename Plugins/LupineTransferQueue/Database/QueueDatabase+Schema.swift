import LupineSQLiteConnection

extension QueueDatabase {
  /// Each commit flushes the log once, and removed secrets are overwritten.
  private static let format = DatabaseFormat(
    durability: .full, options: "PRAGMA secure_delete=ON;",
    tables: [
      "CREATE TABLE transfers (id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL, removed INTEGER NOT NULL, "
        + "priority INTEGER NOT NULL, place INTEGER NOT NULL, deadline INTEGER NOT NULL, record BLOB NOT NULL, "
        + "data BLOB NOT NULL, staged BLOB NOT NULL, checksum INTEGER NOT NULL, seal INTEGER NOT NULL) STRICT",
      "CREATE TABLE events (number INTEGER PRIMARY KEY AUTOINCREMENT, transfer INTEGER NOT NULL, record BLOB NOT NULL, "
        + "checksum INTEGER NOT NULL) STRICT",
      "CREATE TABLE commands (number INTEGER PRIMARY KEY AUTOINCREMENT, transfer INTEGER NOT NULL, "
        + "kind INTEGER NOT NULL, value INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT",
      "CREATE TABLE checkpoints (name BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT",
    ] + settingTables,
    beginning: "PRAGMA user_version=\(version)")

  /// The version of the tables; 0 for an empty file.
  ///
  /// - Throws: `SQLiteFailure`, also if the file is damaged.
  static func storedVersion(on connection: borrowing Connection) throws(SQLiteFailure) -> Int64 {
    let version = try Statement("PRAGMA user_version", on: connection)
    return try version.first([], { $0.integer(0) }) ?? 0
  }

  /// Whether the pages and the indexes fit together.
  static func check(_ connection: borrowing Connection) throws(SQLiteFailure) {
    let check = try Statement("PRAGMA quick_check(1)", on: connection)
    let answer = try check.first([], { $0.text(0) })
    guard answer == "ok" else { throw .damaged("the check found: \(answer ?? "nothing")") }
  }

  /// Applies the format, and checks that there is room for the numbers of further rows.
  static func prepare(_ connection: borrowing Connection) throws(SQLiteFailure) {
    try format.apply(to: connection)
    let mode = try Statement("PRAGMA journal_mode", on: connection)
    guard try mode.first([], { $0.text(0) }) == "wal" else { throw .damaged("the database has no write-ahead log") }
    try checkNumbers(on: connection)
  }

  /// The numbers of rows that a queue can have; a greater one leaves no room for the next ones.
  static let numbers = 1...Int64(1) << 62

  private static func checkNumbers(on connection: borrowing Connection) throws(SQLiteFailure) {
    let tables = [("id", "transfers"), ("number", "events"), ("number", "commands"), ("seq", "sqlite_sequence")]
    for (column, table) in tables {
      let greatest = try Statement("SELECT max(\(column)) FROM \(table)", on: connection)
      guard try greatest.first([], { $0.integer(0) }) ?? 0 <= numbers.upperBound else {
        throw .damaged("the numbers of \(table) are at their end")
      }
    }
  }
}
