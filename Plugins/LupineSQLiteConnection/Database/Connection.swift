import CSQLite
import LupineSupport

/// Owns a connection to a database.
public struct Connection: ~Copyable {
  fileprivate let handle: OpaquePointer

  /// Opens an existing database; symbolic links are refused.
  ///
  /// One thread at a time uses the connection, so that SQLite needs no mutex. A statement fails at once if it needs a
  /// lock that another process holds, unless a patience is given.
  ///
  /// - Parameter patience: the time for which a statement tries to take a lock, on the calling thread. Default: none.
  public init(_ path: String, patience: Duration = .zero) throws(SQLiteFailure) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      let failure = SQLiteFailure(code, handle)
      sqlite3_close_v2(handle)
      throw failure
    }
    // SQLite opens a file for reading alone if it cannot be opened for writing, for whatever reason.
    guard sqlite3_db_readonly(handle, "main") == 0 else {
      sqlite3_close_v2(handle)
      throw SQLiteFailure(SQLITE_CANTOPEN, "the file cannot be opened for writing")
    }
    if patience > .zero { sqlite3_busy_timeout(handle, Int32(min(patience / .milliseconds(1), 1e9))) }
    self.handle = handle
  }

  /// Waits for the last statement before the memory is freed; an open transaction is rolled back.
  deinit { sqlite3_close_v2(handle) }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs statements without values.
  public func execute(_ text: String) throws(SQLiteFailure) {
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteFailure(code, handle) }
  }

  /// The row that the last statement inserted.
  public var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }
}

/// A value of a statement.
public enum SQLValue {
  /// A signed integer.
  case integer(Int64)
  /// A blob.
  case bytes([UInt8])

  /// The same 64 bits as a signed integer.
  public static func bits(_ value: UInt64) -> SQLValue { .integer(Int64(bitPattern: value)) }
}

/// Owns a prepared statement.
public struct Statement: ~Copyable {
  private let handle: OpaquePointer

  /// Prepares a statement, which is used until it is released.
  public init(_ text: String, on connection: borrowing Connection) throws(SQLiteFailure) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw SQLiteFailure(code, connection.handle) }
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  /// Runs the statement to its end.
  ///
  /// - Parameter take: called with each row, which is valid during the call.
  public func run(
    _ values: [SQLValue] = [], _ take: (Row) throws(SQLiteFailure) -> Void = { (_) throws(SQLiteFailure) in }
  ) throws(SQLiteFailure) {
    defer {
      assert(StepCount.add(Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1))))
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    while true {
      let code = sqlite3_step(handle)
      switch code {
      case SQLITE_ROW: try take(Row(statement: handle))
      case SQLITE_DONE: return
      default: throw SQLiteFailure(code, sqlite3_db_handle(handle))
      }
    }
  }

  /// Runs the statement and returns the first row's value; `nil` if there is no row.
  public func first<Value>(_ values: [SQLValue] = [], _ make: (Row) -> Value) throws(SQLiteFailure) -> Value? {
    var found: Value?
    try run(values) { (row) throws(SQLiteFailure) in if found == nil { found = make(row) } }
    return found
  }

  private func bind(_ value: SQLValue, at index: Int32) throws(SQLiteFailure) {
    let code =
      switch value {
      case .integer(let number): sqlite3_bind_int64(handle, index, number)
      case .bytes(let bytes):
        bytes.withUnsafeBytes { lupine_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
      }
    guard code == SQLITE_OK else { throw SQLiteFailure(code, sqlite3_db_handle(handle)) }
  }
}

/// A row of a statement's result.
public struct Row {
  fileprivate let statement: OpaquePointer

  /// A column as an integer.
  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// The same 64 bits of a column as an unsigned integer.
  public func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

  /// A column as bytes; empty if it is null.
  public func bytes(_ column: Int32) -> [UInt8] {
    // The pointer first: it may change the count.
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// A column as text.
  public func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
