import LupineSQLiteConnection

/// The commands that other processes leave for the runner.
///
/// A command with another checksum than its values counts as none: a changed one could remove another transfer.
extension QueueDatabase {
  struct Command: Hashable {
    let transfer: TransferID
    let kind: QueueCommand
    let value: Int64

    fileprivate var checksum: UInt64 {
      var bytes: [UInt8] = []
      for number in [transfer.number, Int64(kind.rawValue), value] {
        bytes.append(bigEndian: UInt64(bitPattern: number))
      }
      return bytes.checksum
    }
  }

  static let commandColumns = "number, transfer, kind, value, checksum"

  func insert(_ command: Command) throws(SQLiteFailure) {
    try insertCommand.run([
      .integer(command.transfer.number), .integer(Int64(command.kind.rawValue)), .integer(command.value),
      .bits(command.checksum),
    ])
  }

  /// Takes all commands out of the table, in their order.
  func takeCommands() throws(SQLiteFailure) -> [Command] {
    var found: [Command] = []
    var last: Int64?
    let all = try Statement("SELECT \(Self.commandColumns) FROM commands ORDER BY number", on: connection)
    try all.run { (row) throws(SQLiteFailure) in
      last = row.integer(0)
      if let command = Self.command(row) { found.append(command) }
    }
    if let last { try deleteCommands.run([.integer(last)]) }
    return found
  }

  /// The command of a row; `nil` if it is damaged.
  static func command(_ row: Row) -> Command? {
    guard let kind = QueueCommand(rawValue: Int(row.integer(2))) else { return nil }
    let command = Command(transfer: TransferID(row.integer(1)), kind: kind, value: row.integer(3))
    return command.checksum == row.bits(4) ? command : nil
  }
}
