import LupineFoundation
import LupineSQLiteConnection

/// The rows of a damaged database that can still be read.
struct Salvage {
  private(set) var rows: [Int64: TransferRow] = [:]
  private(set) var events: [Int64: TransferEvent] = [:]
  /// The commands that the runner has not taken yet, by their numbers.
  private(set) var commands: [Int64: QueueDatabase.Command] = [:]
  private(set) var checkpoints: [[UInt8]: [UInt8]] = [:]
  private(set) var profiles: [String: [UInt8]] = [:]
  private(set) var hooks: [String: GroupHook] = [:]

  /// The maximum number of rows that are looked for one by one.
  private static let mostLookups: Int64 = 1 << 20

  /// Reads what it can from a file: from the first row on, from the last one back, and each row between the two places
  /// where that ends.
  init(_ path: String) {
    QueueFolder.restoreLength(of: path)
    guard let connection = try? Connection(path, patience: .zero) else { return }
    read("transfers", "id", QueueDatabase.columns, on: connection) { salvage, row in
      if let found = QueueDatabase.row(row) { salvage.rows[found.id.number] = found }
    }
    read("events", "number", "number, transfer, record, checksum", on: connection) { salvage, row in
      if let found = QueueDatabase.event(row, data: Data()) { salvage.events[found.number] = found }
    }
    read("commands", "number", QueueDatabase.commandColumns, on: connection) { salvage, row in
      salvage.commands[row.integer(0)] = QueueDatabase.command(row)
    }
    read("checkpoints", "rowid", "rowid, name, data", on: connection) { salvage, row in
      salvage.checkpoints[row.bytes(1)] = row.bytes(2)
    }
    _ = run("SELECT \(QueueDatabase.profileColumns) FROM profiles", on: connection) { salvage, row in
      if let found = QueueDatabase.profile(row) { salvage.profiles[found.name] = found.json }
    }
    _ = run("SELECT \(QueueDatabase.hookColumns) FROM hooks", on: connection) { salvage, row in
      if let found = QueueDatabase.hook(row) { salvage.hooks[found.group] = found }
    }
  }

  private mutating func read(
    _ table: String, _ key: String, _ columns: String, on connection: borrowing Connection,
    _ take: (inout Salvage, Row) -> Void
  ) {
    var (low, high): (Int64, Int64) = (0, 0)
    let select = "SELECT \(columns) FROM \(table)"
    let isWhole = run("\(select) ORDER BY \(key)", on: connection) { salvage, row in
      low = row.integer(0)
      take(&salvage, row)
    }
    guard !isWhole else { return }
    _ = run("\(select) ORDER BY \(key) DESC", on: connection) { salvage, row in
      high = row.integer(0)
      take(&salvage, row)
    }
    // Not subtracted before the check of the signs: the numbers may be anything.
    guard low >= 0, low < high, high - low <= Self.mostLookups,
      let lookup = try? Statement("\(select) WHERE \(key) = ?", on: connection)
    else { return }
    for number in low..<high {
      try? lookup.run([.integer(number)]) { (row) throws(SQLiteFailure) in take(&self, row) }
    }
  }

  /// Runs a query; returns false if it ends at a page that is damaged.
  private mutating func run(
    _ text: String, on connection: borrowing Connection, _ take: (inout Salvage, Row) -> Void
  ) -> Bool {
    do throws(SQLiteFailure) {
      let statement = try Statement(text, on: connection)
      try statement.run { (row) throws(SQLiteFailure) in take(&self, row) }
      return true
    } catch {
      return false
    }
  }

  /// Writes the rows into an empty database.
  ///
  /// Numbers are never given again, as far as they can be known: the next ones are far above those that were read.
  func write(to database: QueueDatabase) throws(SQLiteFailure) {
    try database.begin()
    for row in rows.values { _ = try database.insert(row) }
    for event in events.values { try database.insertEvent(event.number, event.transfer, event.kind) }
    for (_, command) in commands.sorted(by: { $0.key < $1.key }) { try database.insert(command) }
    let checkpoint = try Statement("INSERT INTO checkpoints (name, data) VALUES (?, ?)", on: database.connection)
    for (name, data) in checkpoints { try checkpoint.run([.bytes(name), .bytes(data)]) }
    for (name, json) in profiles { try database.setProfile(json, named: name) }
    for hook in hooks.values { try database.insert(hook) }
    let leap: Int64 = 1 << 20
    for (table, last) in [("transfers", rows.keys.max() ?? 0), ("events", events.keys.max() ?? 0)] {
      try database.connection.execute("DELETE FROM sqlite_sequence WHERE name = '\(table)'")
      try database.connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('\(table)', \(last + leap))")
    }
    try database.commit()
  }
}
