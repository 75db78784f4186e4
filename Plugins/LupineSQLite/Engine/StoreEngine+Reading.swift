import LupineCore
import LupineFoundation
import LupineSQLiteConnection
import LupineSupport

extension StoreEngine {
  /// A content that was found.
  enum Content: Sendable {
    case bytes(Data)
    case file(ContentFile, blocks: [UInt8])
  }

  /// Returns the responses of a key.
  func responses(for key: String, _ fingerprint: UInt64) async throws(LupineError) -> [StoredResponse] {
    try await use { (engine, opened) throws(SQLiteFailure) in
      try engine.synchronize(&opened)
      return try engine.responses(engine.keys.ids(fingerprint), in: &opened).filter { $0.record.key == key }
    }
  }

  /// Returns some responses in the order of their rows, and the row to continue after; `nil` at the end.
  func responses(after id: Int64, limit: Int) async throws(LupineError) -> (found: [StoredResponse], next: Int64?) {
    try await use { (engine, opened) throws(SQLiteFailure) in
      try engine.synchronize(&opened)
      let ids = try opened.table.ids(after: id, limit: limit)
      return (try engine.responses(ids, in: &opened), ids.count == limit ? ids.last : nil)
    }
  }

  /// Returns the content of a response; `nil` if the response was removed, or has no content of its length any more.
  func content(of id: ResponseID, length: Int64) async throws(LupineError) -> Content? {
    let row = try await use { (engine, opened) throws(SQLiteFailure) -> (ResponseRow, ContentsFolder, [UInt8]?)? in
      guard let row = try engine.row(id, in: &opened), row.length == length else { return nil }
      opened.queue.touch(row.id)
      guard !row.hasFile else { return (row, opened.contents, nil) }
      let bytes = try opened.table.queries.content(row.id) ?? []
      if Int64(bytes.count) == row.length, BlockChecksums.verify(bytes, from: 0, row.blocks) {
        return (row, opened.contents, bytes)
      }
      try engine.discard(row.id, in: &opened)
      return nil
    }
    guard let (row, contents, bytes) = row else { return nil }
    if let bytes { return .bytes(Data(bytes)) }
    if let file = try contents.open(row.nonce, length: row.length) { return .file(file, blocks: row.blocks) }
    try await remove([id])
    return nil
  }

  /// Returns the number of bytes that all responses occupy.
  func size() async throws(LupineError) -> Int64 {
    try await use { (_, opened) throws(SQLiteFailure) in try opened.table.totalSize() }
  }

  /// Returns an intact row; removes a damaged one.
  func row(_ id: ResponseID, in opened: inout Opened) throws(SQLiteFailure) -> ResponseRow? {
    switch try opened.table.queries.row(id.row) {
    case .intact(let row): return row.nonce == id.nonce ? row : nil
    case .damaged: try discard(id.row, in: &opened)
    case .missing: lose(id.row, in: &opened)
    }
    return nil
  }

  /// Returns the responses of intact rows; removes damaged ones.
  private func responses(_ ids: [Int64], in opened: inout Opened) throws(SQLiteFailure) -> [StoredResponse] {
    var found: [StoredResponse] = []
    for id in ids {
      switch try opened.table.queries.row(id) {
      case .intact(let row):
        if let response = row.response { found.append(response) } else { try discard(id, in: &opened) }
      case .damaged: try discard(id, in: &opened)
      case .missing: lose(id, in: &opened)
      }
    }
    return found
  }

  /// Forgets a row that another process has removed.
  func lose(_ id: Int64, in opened: inout Opened) {
    forget(id, in: &opened)
    opened.queue.remove(id)
  }

  /// Removes a damaged row outside a transaction.
  private func discard(_ id: Int64, in opened: inout Opened) throws(SQLiteFailure) {
    try change(&opened) { (engine, opened, removed) throws(SQLiteFailure) in
      try engine.delete(id, in: &opened, &removed)
    }
  }
}
