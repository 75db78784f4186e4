import LupineFoundation
import LupineSQLiteConnection

/// The database of a queue, open on one connection, with its prepared statements.
///
/// One thread at a time uses it. A row with another checksum than its bytes counts as damage. The checksum of a transfer
/// covers its description and its data, which never change; its seal covers the checksum and all other columns.
final class QueueDatabase {
  /// The version of the tables, as the database's `user_version` has it.
  static let version = QueueVersion.tables

  let connection: Connection
  private let insertRow: Statement
  private let setRow: Statement
  private let deleteRow: Statement
  private let oneRow: Statement
  private let insertEvent: Statement
  private let deleteEvent: Statement
  private let nextEvents: Statement
  private let oneEvent: Statement
  let insertCommand: Statement
  let deleteCommands: Statement
  private let oneCheckpoint: Statement
  private let deleteCheckpoint: Statement

  /// Makes the tables if the file is empty.
  ///
  /// - Parameter connection: the connection to a database that no later release has written, see `storedVersion(on:)`.
  init(_ connection: consuming Connection) throws(SQLiteFailure) {
    try Self.prepare(connection)
    self.connection = connection
    insertRow = try Statement(
      "INSERT INTO transfers (id, state, removed, priority, place, deadline, record, data, staged, checksum, seal) "
        + "VALUES (nullif(?, 0), 0, 0, 0, 0, 0, ?, ?, x'', ?, 0)", on: self.connection)
    setRow = try Statement(
      "UPDATE transfers SET state = ?, removed = ?, priority = ?, place = ?, deadline = ?, staged = ?, seal = ? "
        + "WHERE id = ?", on: self.connection)
    deleteRow = try Statement("DELETE FROM transfers WHERE id = ?", on: self.connection)
    oneRow = try Statement("SELECT \(Self.columns) FROM transfers WHERE id = ?", on: self.connection)
    insertEvent = try Statement(
      "INSERT INTO events (number, transfer, record, checksum) VALUES (?, ?, ?, ?)", on: self.connection)
    deleteEvent = try Statement("DELETE FROM events WHERE number = ?", on: self.connection)
    nextEvents = try Statement(
      "SELECT e.number, e.transfer, e.record, e.checksum, \(Self.columns(of: "t.")) FROM events e "
        + "LEFT JOIN transfers t ON t.id = e.transfer WHERE e.number > ? AND \(Self.isOpen) ORDER BY e.number LIMIT ?",
      on: self.connection)
    oneEvent = try Statement("SELECT 1 FROM events e WHERE e.number = ? AND \(Self.isOpen)", on: self.connection)
    insertCommand = try Statement(
      "INSERT INTO commands (transfer, kind, value, checksum) VALUES (?, ?, ?, ?)", on: self.connection)
    deleteCommands = try Statement("DELETE FROM commands WHERE number <= ?", on: self.connection)
    oneCheckpoint = try Statement("SELECT data FROM checkpoints WHERE name = ?", on: self.connection)
    deleteCheckpoint = try Statement("DELETE FROM checkpoints WHERE name = ?", on: self.connection)
  }

  /// Begins a transaction that writes.
  func begin() throws(SQLiteFailure) { try connection.execute("BEGIN IMMEDIATE") }

  func commit() throws(SQLiteFailure) { try connection.execute("COMMIT") }

  func rollBack() { if connection.isInTransaction { try? connection.execute("ROLLBACK") } }

  /// Inserts a row; a number of 0 means the next one.
  func insert(_ row: TransferRow) throws(SQLiteFailure) -> TransferID {
    guard let record = row.record.encoded else { throw .damaged("the description of a transfer has no JSON") }
    let data = [UInt8](row.data)
    let checksum = (record + data).checksum
    try insertRow.run([.integer(row.id.number), .bytes(record), .bytes(data), .bits(checksum)])
    var row = row
    row.id = TransferID(connection.lastInsertedID)
    try write(row, checksum)
    return row.id
  }

  func store(_ id: TransferID, _ state: TransferState) throws(SQLiteFailure) { try change(id) { $0.state = state } }

  func store(_ id: TransferID, _ priority: TransferPriority, place: Int64) throws(SQLiteFailure) {
    try change(id) { row in
      row.priority = priority
      row.place = place
    }
  }

  func storeRemoval(_ id: TransferID) throws(SQLiteFailure) { try change(id) { $0.isRemoved = true } }

  func store(_ id: TransferID, staged identity: [UInt8]) throws(SQLiteFailure) {
    try change(id) { $0.staged = identity }
  }

  /// Changes a row together with its seal; does nothing if there is none.
  private func change(_ id: TransferID, _ change: (inout TransferRow) -> Void) throws(SQLiteFailure) {
    let found = try oneRow.first([.integer(id.number)]) { (Self.row($0), $0.bits(9)) }
    guard let (stored, checksum) = found else { return }
    guard var row = stored else { throw .damaged("the row of transfer \(id) has another checksum") }
    change(&row)
    try write(row, checksum)
  }

  private func write(_ row: TransferRow, _ checksum: UInt64) throws(SQLiteFailure) {
    try setRow.run([
      .integer(Int64(row.state.rawValue)), .integer(row.isRemoved ? 1 : 0), .integer(Int64(row.priority.rawValue)),
      .integer(row.place), .integer(row.deadline), .bytes(row.staged), .bits(row.seal(checksum)),
      .integer(row.id.number),
    ])
  }

  /// Deletes a transfer and its checkpoint.
  func delete(_ id: TransferID) throws(SQLiteFailure) {
    try deleteRow.run([.integer(id.number)])
    try removeCheckpoint(of: id)
  }

  func checkpoint(of id: TransferID) throws(SQLiteFailure) -> Data? {
    try oneCheckpoint.first([.bytes([UInt8](QueueCheckpoints.name(of: id).utf8))]) { Data($0.bytes(0)) }
  }

  func removeCheckpoint(of id: TransferID) throws(SQLiteFailure) {
    try deleteCheckpoint.run([.bytes([UInt8](QueueCheckpoints.name(of: id).utf8))])
  }

  /// The row of a transfer; `nil` if there is none, or if it is damaged.
  func row(_ id: TransferID) throws(SQLiteFailure) -> TransferRow? {
    try oneRow.first([.integer(id.number)]) { Self.row($0) } ?? nil
  }

  /// Calls the closure with the rows after a number, in their order; `nil` stands for a damaged one.
  func rows(after id: Int64, _ take: (TransferRow?, Int64) -> Void) throws(SQLiteFailure) {
    let rows = try Statement("SELECT \(Self.columns) FROM transfers WHERE id > ? ORDER BY id", on: connection)
    try rows.run([.integer(id)]) { (row) throws(SQLiteFailure) in take(Self.row(row), row.integer(0)) }
  }

  static let columns = columns(of: "")

  private static func columns(of table: String) -> String {
    ["id", "state", "removed", "priority", "place", "deadline", "record", "data", "staged", "checksum", "seal"]
      .map { table + $0 }.joined(separator: ", ")
  }

  /// The row of a transfer; `nil` if it is damaged.
  ///
  /// - Parameter start: the number of its first column.
  static func row(_ row: Row, from start: Int32 = 0) -> TransferRow? {
    let (record, data) = (row.bytes(start + 6), row.bytes(start + 7))
    let checksum = row.bits(start + 9)
    guard numbers.contains(row.integer(start)), (record + data).checksum == checksum,
      let decoded = TransferRecord(encoded: record), let state = TransferState(rawValue: Int(row.integer(start + 1))),
      let priority = TransferPriority(rawValue: Int(row.integer(start + 3)))
    else { return nil }
    let found = TransferRow(
      id: TransferID(row.integer(start)), state: state, isRemoved: row.integer(start + 2) != 0, priority: priority,
      place: row.integer(start + 4), deadline: row.integer(start + 5), record: decoded, data: Data(data),
      staged: row.bytes(start + 8))
    return found.seal(checksum) == row.bits(start + 10) && found.hasPlausibleNumbers ? found : nil
  }
}

extension TransferRow {
  /// The checksum of the columns that change, and of the checksum of the others.
  fileprivate func seal(_ checksum: UInt64) -> UInt64 {
    var bytes = staged
    for number in [id.number, Int64(state.rawValue), isRemoved ? 1 : 0, Int64(priority.rawValue), place, deadline] {
      bytes.append(bigEndian: UInt64(bitPattern: number))
    }
    bytes.append(bigEndian: checksum)
    return bytes.checksum
  }

  /// Whether a queue can have written the numbers: they leave room for calculations.
  fileprivate var hasPlausibleNumbers: Bool { place.magnitude < 1 << 62 && deadline.magnitude < 1 << 62 }
}

/// The events.
extension QueueDatabase {
  func insertEvent(_ number: Int64, _ id: TransferID, _ kind: TransferEvent.Kind) throws(SQLiteFailure) {
    guard let record = try? [UInt8](JSONEncoder().encode(kind)) else {
      throw .damaged("an event has no JSON")
    }
    try insertEvent.run([
      .integer(number), .integer(id.number), .bytes(record), .bits(Self.checksum(number, id, record)),
    ])
  }

  func deleteEvent(_ number: Int64) throws(SQLiteFailure) { try deleteEvent.run([.integer(number)]) }

  /// Whether no process has acknowledged an event, even if the runner has not heard of it yet.
  private static let isOpen =
    "NOT EXISTS (SELECT 1 FROM commands c WHERE c.kind = \(QueueCommand.acknowledge.rawValue) AND c.value = e.number)"

  /// Whether an event is unacknowledged.
  func hasEvent(_ number: Int64) throws(SQLiteFailure) -> Bool {
    try oneEvent.first([.integer(number)]) { _ in true } ?? false
  }

  /// The first unacknowledged events with higher numbers than the given one.
  func events(after number: Int64, limit: Int) throws(SQLiteFailure) -> [TransferEvent] {
    var found: [TransferEvent] = []
    try nextEvents.run([.integer(number), .integer(Int64(limit))]) { (row) throws(SQLiteFailure) in
      if let event = Self.event(row, data: Self.row(row, from: 4)?.data ?? Data()) { found.append(event) }
    }
    return found
  }

  static func event(_ row: Row, data: Data) -> TransferEvent? {
    let record = row.bytes(2)
    let transfer = TransferID(row.integer(1))
    guard numbers.contains(row.integer(0)), checksum(row.integer(0), transfer, record) == row.bits(3),
      let kind = try? JSONDecoder().decode(TransferEvent.Kind.self, from: Data(record))
    else { return nil }
    return TransferEvent(number: row.integer(0), transfer: transfer, kind: kind, data: data)
  }

  private static func checksum(_ number: Int64, _ id: TransferID, _ record: [UInt8]) -> UInt64 {
    var bytes = record
    for number in [number, id.number] { bytes.append(bigEndian: UInt64(bitPattern: number)) }
    return bytes.checksum
  }

  /// The numbers of all events with their transfers, and the number that was given last.
  func eventNumbers() throws(SQLiteFailure) -> (events: [Int64: TransferID], last: Int64) {
    var events: [Int64: TransferID] = [:]
    let all = try Statement("SELECT number, transfer FROM events", on: connection)
    try all.run { (row) throws(SQLiteFailure) in events[row.integer(0)] = TransferID(row.integer(1)) }
    let last = try Statement("SELECT seq FROM sqlite_sequence WHERE name = 'events'", on: connection)
    return (events, try last.first([], { $0.integer(0) }) ?? 0)
  }
}
