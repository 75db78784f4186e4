import LupineSQLiteConnection

/// The statements that read rows, prepared on a connection.
final class ResponseQueries {
  private let newest: Statement
  private let select: Statement
  private let selectContent: Statement

  init(on connection: borrowing Connection) throws(SQLiteFailure) {
    newest = try Statement("SELECT max(id) FROM responses", on: connection)
    let columns = "id, nonce, fingerprint, size, length, file, record, blocks, checksum"
    select = try Statement("SELECT \(columns) FROM responses WHERE id = ?", on: connection)
    selectContent = try Statement("SELECT bytes FROM contents WHERE id = ?", on: connection)
  }

  /// A row that was found.
  enum Found {
    case intact(ResponseRow)
    /// The row's checksum does not match.
    case damaged
    case missing
  }

  /// The greatest row; 0 if there is none.
  func newestID() throws(SQLiteFailure) -> Int64 { try newest.first { $0.integer(0) } ?? 0 }

  func row(_ id: Int64) throws(SQLiteFailure) -> Found {
    try select.first([.integer(id)]) { row in
      let found = ResponseRow(
        id: row.integer(0), nonce: row.bits(1), fingerprint: row.bits(2), size: row.integer(3), length: row.integer(4),
        hasFile: row.integer(5) != 0, record: row.bytes(6), blocks: row.bytes(7))
      return found.checksum == row.bits(8) ? .intact(found) : .damaged
    } ?? .missing
  }

  /// The content of a row that has no file.
  func content(_ id: Int64) throws(SQLiteFailure) -> [UInt8]? {
    try selectContent.first([.integer(id)]) { $0.bytes(0) }
  }
}
