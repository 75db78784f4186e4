import LupineSQLiteConnection

/// The database of a store, open on one connection, with its prepared statements.
///
/// One thread at a time uses it.
final class ResponseTable {
  let queries: ResponseQueries
  private let connection: Connection
  private let changes: Statement
  private let total: Statement
  private let insertRow: Statement
  private let insertContent: Statement
  private let updateRow: Statement
  private let deleteRow: Statement
  private let summaries: Statement
  private let nextIDs: Statement
  private let correct: Statement
  private let freePages: Statement

  /// The number of free pages that the database keeps.
  private static let sparePages: Int64 = 16

  /// A row in the index.
  struct Summary {
    let id: Int64
    let fingerprint: UInt64
    let nonce: UInt64
    let size: Int64
    let hasFile: Bool
  }

  /// Opens the database and makes its tables if it is empty.
  ///
  /// - Throws: `SQLiteFailure`, which is damage if the file is not a database of this format.
  init(_ path: String) throws(SQLiteFailure) {
    connection = try Connection(path)
    try Self.format.apply(to: connection)
    changes = try Statement("PRAGMA data_version", on: connection)
    total = try Statement("SELECT size FROM total", on: connection)
    queries = try ResponseQueries(on: connection)
    insertRow = try Statement(
      "INSERT INTO responses (nonce, fingerprint, size, length, file, record, blocks, checksum) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?)", on: connection)
    insertContent = try Statement("INSERT INTO contents (id, bytes) VALUES (?, ?)", on: connection)
    updateRow = try Statement(
      "UPDATE responses SET size = ?, record = ?, checksum = ? WHERE id = ?", on: connection)
    deleteRow = try Statement("DELETE FROM responses WHERE id = ? RETURNING nonce, file", on: connection)
    summaries = try Statement(
      "SELECT id, fingerprint, nonce, size, file FROM responses WHERE id > ? ORDER BY id", on: connection)
    nextIDs = try Statement("SELECT id FROM responses WHERE id > ? ORDER BY id LIMIT ?", on: connection)
    correct = try Statement("UPDATE total SET size = ?", on: connection)
    freePages = try Statement("PRAGMA freelist_count", on: connection)
  }

  /// Begins a transaction that writes; fails at once if another process has one.
  func begin() throws(SQLiteFailure) { try connection.execute("BEGIN IMMEDIATE") }

  func commit() throws(SQLiteFailure) { try connection.execute("COMMIT") }

  /// A number that changes when another connection has changed the database.
  func version() throws(SQLiteFailure) -> Int64 { try changes.first { $0.integer(0) } ?? 0 }

  /// The total size of the rows, which triggers keep.
  func totalSize() throws(SQLiteFailure) -> Int64 {
    guard let size = try total.first([], { $0.integer(0) }) else {
      throw SQLiteFailure.damaged("the total size is missing")
    }
    return size
  }

  /// Replaces the total size.
  func correctTotal(_ size: Int64) throws(SQLiteFailure) { try correct.run([.integer(size)]) }

  /// Calls the closure with the rows after a row, in their order.
  func summaries(after id: Int64, _ take: (Summary) -> Void) throws(SQLiteFailure) {
    try summaries.run([.integer(id)]) { (row) throws(SQLiteFailure) in
      take(
        Summary(
          id: row.integer(0), fingerprint: row.bits(1), nonce: row.bits(2), size: row.integer(3),
          hasFile: row.integer(4) != 0))
    }
  }

  /// The numbers of the first rows after a row, in ascending order.
  func ids(after id: Int64, limit: Int) throws(SQLiteFailure) -> [Int64] {
    var found: [Int64] = []
    try nextIDs.run([.integer(id), .integer(Int64(limit))]) { (row) throws(SQLiteFailure) in
      found.append(row.integer(0))
    }
    return found
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { connection.isInTransaction }

  /// Inserts a row and, if there is no file, its content; returns the row's number.
  func insert(_ row: ResponseRow, content: [UInt8]?) throws(SQLiteFailure) -> Int64 {
    try insertRow.run([
      .bits(row.nonce), .bits(row.fingerprint), .integer(row.size), .integer(row.length), .integer(row.hasFile ? 1 : 0),
      .bytes(row.record), .bytes(row.blocks), .bits(row.checksum),
    ])
    let id = connection.lastInsertedID
    if let content { try insertContent.run([.integer(id), .bytes(content)]) }
    return id
  }

  /// Replaces record, size and checksum of a row.
  func update(_ row: ResponseRow) throws(SQLiteFailure) {
    try updateRow.run([.integer(row.size), .bytes(row.record), .bits(row.checksum), .integer(row.id)])
  }

  /// Deletes a row and its content in the database.
  ///
  /// - Returns: the nonce of the content's file, if there is one.
  func delete(_ id: Int64) throws(SQLiteFailure) -> UInt64? {
    try deleteRow.first([.integer(id)]) { $0.integer(1) != 0 ? $0.bits(0) : nil } ?? nil
  }

  /// Takes the pages of deleted rows out of the database, except a few for the next rows.
  ///
  /// - Returns: whether the file becomes shorter at the next checkpoint.
  func trim() throws(SQLiteFailure) -> Bool {
    let surplus = (try freePages.first { $0.integer(0) } ?? 0) - Self.sparePages
    guard surplus > 0 else { return false }
    try connection.execute("PRAGMA incremental_vacuum(\(surplus))")
    return true
  }

  /// Writes the log back into the database and empties it, unless another process is reading.
  func checkpoint() throws(SQLiteFailure) { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
}

extension ResponseTable {
  /// A database with other tables is not of this release.
  private static let format = DatabaseFormat(
    durability: .normal,
    tables: [
      "CREATE TABLE responses (id INTEGER PRIMARY KEY AUTOINCREMENT, nonce INTEGER NOT NULL, "
        + "fingerprint INTEGER NOT NULL, size INTEGER NOT NULL, length INTEGER NOT NULL, file INTEGER NOT NULL, "
        + "record BLOB NOT NULL, blocks BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT",
      "CREATE TABLE contents (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
      "CREATE TABLE total (size INTEGER NOT NULL) STRICT",
      "CREATE TRIGGER inserted AFTER INSERT ON responses BEGIN UPDATE total SET size = size + new.size; END",
      "CREATE TRIGGER updated AFTER UPDATE OF size ON responses BEGIN "
        + "UPDATE total SET size = size + new.size - old.size; END",
      "CREATE TRIGGER deleted AFTER DELETE ON responses BEGIN UPDATE total SET size = size - old.size; "
        + "DELETE FROM contents WHERE id = old.id; END",
    ],
    beginning: "INSERT INTO total VALUES (0)")
}
