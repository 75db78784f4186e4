import LupineCore
import LupineFoundation
import LupineSQLiteConnection
import LupineTransfers

/// The checkpoints of transfers, in the database of the queue.
///
/// Each call has a connection of its own, so that no lock is held while the disk is waited for, and waits a bounded time
/// for the others. A write is on the disk when it returns.
struct QueueCheckpoints: CheckpointStore {
  let path: String
  let patience: Duration

  /// The name of a transfer's checkpoint.
  static func name(of id: TransferID) -> String { "transfer \(id)" }

  func read(_ name: String) throws(LupineError) -> Data? {
    try use { (connection) throws(SQLiteFailure) in
      let statement = try Statement("SELECT data FROM checkpoints WHERE name = ?", on: connection)
      return try statement.first([Self.value(name)]) { Data($0.bytes(0)) }
    }
  }

  func write(_ data: Data, to name: String) throws(LupineError) {
    try use { (connection) throws(SQLiteFailure) in
      let statement = try Statement(
        "INSERT INTO checkpoints (name, data) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET data = excluded.data",
        on: connection)
      try statement.run([Self.value(name), .bytes([UInt8](data))])
    }
  }

  func remove(_ name: String) throws(LupineError) {
    try use { (connection) throws(SQLiteFailure) in
      let statement = try Statement("DELETE FROM checkpoints WHERE name = ?", on: connection)
      try statement.run([Self.value(name)])
    }
  }

  private static func value(_ name: String) -> SQLValue { .bytes([UInt8](name.utf8)) }

  private func use<Value>(
    _ work: (borrowing Connection) throws(SQLiteFailure) -> Value
  ) throws(LupineError) -> Value {
    do throws(SQLiteFailure) {
      let connection = try Connection(path, patience: patience)
      try connection.execute("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON")
      return try work(connection)
    } catch {
      throw error.error(path, of: "queued transfers")
    }
  }
}
