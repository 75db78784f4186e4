import CSQLite
public import LupineCore

/// An error of SQLite.
public struct SQLiteFailure: Error, CustomStringConvertible {
  /// The extended code.
  public let code: Int32
  /// SQLite's text.
  public let text: String
  /// The system's error number; 0 if the system was not the cause.
  public let systemCode: Int32
  /// Whether the header of the database says that it may only be read.
  private let isReadOnlyFormat: Bool

  /// Describes the last error of a connection.
  init(_ code: Int32, _ connection: OpaquePointer?) {
    let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
    self.code = extended & 0xFF == code & 0xFF ? extended : code
    text = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    systemCode = connection.map { sqlite3_system_errno($0) } ?? 0
    // `Connection` refuses a file that the system opens for reading alone.
    isReadOnlyFormat = connection.map { sqlite3_db_readonly($0, "main") == 1 } ?? false
  }

  /// Describes a failure that SQLite does not report.
  init(_ code: Int32, _ text: String) {
    self.code = code
    self.text = text
    systemCode = 0
    isReadOnlyFormat = false
  }

  /// SQLite's text and code.
  public var description: String { "\(text) (SQLite error \(code))" }

  /// Whether the file of the database is damaged or not of this store.
  ///
  /// The statements are always the same, so that a general error or a violated constraint means a damaged schema.
  public var isDamage: Bool {
    switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_CONSTRAINT,
      SQLITE_MISMATCH, SQLITE_TOOBIG,
      SQLITE_RANGE, SQLITE_MISUSE:
      true
    case SQLITE_READONLY: isReadOnlyFormat
    // SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS, which Swift does not import.
    case SQLITE_IOERR: code >> 8 == 2 || code >> 8 == 33
    default: false
    }
  }

  /// Whether another process holds the lock.
  public var isLocked: Bool { code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED }

  /// Whether the disk is full.
  public var isDiskFull: Bool { code & 0xFF == SQLITE_FULL }

  /// A database whose content is not what its module has written.
  public static func damaged(_ text: String) -> SQLiteFailure { SQLiteFailure(SQLITE_NOTADB, text) }

  /// The error for the caller of the module.
  ///
  /// - Parameter content: the content of the database, such as `stored responses`.
  public func error(_ path: String, of content: String) -> LupineError {
    LupineError(.fileFailed, "The database \(path) of \(content) failed: \(self).", underlying: self)
  }
}
