import HTTPTypes
import LupineCore
import LupineSQLiteConnection
import LupineSupport

extension StoreEngine {
  /// A response whose content is complete.
  struct Arrived: Sendable {
    let record: ResponseRecord
    let trailers: HTTPFields?
    let length: Int64
    let blocks: [UInt8]
    let content: Content

    enum Content: Sendable {
      case bytes([UInt8])
      case file(nonce: UInt64)
    }
  }

  /// The folder for the files of contents.
  func contents() async throws(LupineError) -> ContentsFolder {
    try await use { (_, opened) throws(SQLiteFailure) in opened.contents }
  }

  /// Removes responses until the reserved bytes fit; returns whether they do.
  func makeRoom() async throws(LupineError) -> Bool {
    try await use { (engine, opened) throws(SQLiteFailure) in
      if try opened.table.totalSize() <= engine.room - engine.reserved.bytes { return true }
      return try engine.change(&opened) { (engine, opened, removed) throws(SQLiteFailure) in
        try engine.makeRoom(for: 0, in: &opened, &removed)
      }
    }
  }

  /// Adds a response in the place of the one with the same key and variant.
  ///
  /// - Parameter reservation: released when the response has its row.
  /// - Returns: `nil` if the response is too large, or there is no room.
  func add(_ arrived: Arrived, _ reservation: Reservation) async throws(LupineError) -> StoredResponse? {
    let (nonce, content): (UInt64, [UInt8]?) =
      switch arrived.content {
      case .bytes(let bytes): (random(), bytes)
      case .file(let nonce): (nonce, nil)
      }
    let row = try ResponseRow(
      arrived.record, trailers: arrived.trailers, nonce: nonce, length: arrived.length, hasFile: content == nil,
      blocks: arrived.blocks)
    guard row.size <= largest else { return nil }
    let id = try await use { (engine, opened) throws(SQLiteFailure) in
      try engine.change(&opened) { (engine, opened, removed) throws(SQLiteFailure) in
        reservation.set(0)
        return try engine.insert(row, content, arrived.record, in: &opened, &removed)
      }
    }
    guard let id else { return nil }
    return StoredResponse(
      id: ResponseID(row: id, nonce: nonce).text, record: arrived.record, length: arrived.length,
      trailers: arrived.trailers)
  }

  private func insert(
    _ row: ResponseRow, _ content: [UInt8]?, _ record: ResponseRecord, in opened: inout Opened,
    _ removed: inout [UInt64]
  ) throws(SQLiteFailure) -> Int64? {
    var replaced: Int64?
    for old in keys.ids(row.fingerprint) {
      switch try opened.table.queries.row(old) {
      case .intact(let found):
        guard let response = found.response,
          response.record.key != record.key
            || response.record.variant != record.variant
        else { break }
        continue
      case .damaged: break
      case .missing:
        lose(old, in: &opened)
        continue
      }
      if let nonce = try opened.table.delete(old) { removed.append(nonce) }
      forget(old, in: &opened)
      replaced = old
    }
    guard try makeRoom(for: row.size, in: &opened, &removed) else { return nil }
    let id = try opened.table.insert(row, content: content)
    learn(id, row.fingerprint, row.size, replacing: replaced, &opened)
    return id
  }

  /// Replaces the record of a response.
  func update(_ id: ResponseID, to record: ResponseRecord, _ trailers: HTTPFields?) async throws(LupineError)
    -> StoredResponse?
  {
    let updated = try await use { (engine, opened) throws(SQLiteFailure) -> Result<ResponseRow?, LupineError> in
      guard let row = try engine.row(id, in: &opened) else { return .success(nil) }
      let changed: ResponseRow
      do throws(LupineError) { changed = try row.replacing(record, trailers: trailers) } catch {
        return .failure(error)
      }
      guard changed.fingerprint == row.fingerprint, changed.size <= engine.largest else {
        return .failure(LupineError(.other, "The record does not fit the stored response: another key, or too large."))
      }
      return try engine.change(&opened) { (engine, opened, removed) throws(SQLiteFailure) in
        // Another process may have removed the row before this transaction began.
        guard case .intact(let present) = try opened.table.queries.row(id.row), present.nonce == id.nonce else {
          return .success(nil)
        }
        try opened.table.update(changed)
        opened.queue.resize(id.row, to: changed.size)
        try engine.makeRoom(for: 0, in: &opened, &removed)
        return .success(changed)
      }
    }
    return try updated.get()?.response
  }

  /// Removes responses that were not removed or replaced.
  func remove(_ ids: [ResponseID]) async throws(LupineError) {
    guard !ids.isEmpty else { return }
    try await use { (engine, opened) throws(SQLiteFailure) in
      try engine.change(&opened) { (engine, opened, removed) throws(SQLiteFailure) in
        for id in ids {
          switch try opened.table.queries.row(id.row) {
          case .intact(let row) where row.nonce != id.nonce: break
          case .intact, .damaged: try engine.delete(id.row, in: &opened, &removed)
          case .missing: engine.lose(id.row, in: &opened)
          }
        }
      }
    }
  }

  /// Removes the responses of a key.
  func removeAll(for key: String, _ fingerprint: UInt64) async throws(LupineError) {
    try await use { (engine, opened) throws(SQLiteFailure) in
      try engine.change(&opened) { (engine, opened, removed) throws(SQLiteFailure) in
        for id in engine.keys.ids(fingerprint) {
          // Another key with the same fingerprint stays.
          if case .intact(let row) = try opened.table.queries.row(id), let other = row.response, other.record.key != key
          {
            continue
          }
          try engine.delete(id, in: &opened, &removed)
        }
      }
    }
  }

  /// Runs one transaction that writes, and then removes the files of the rows that it has deleted.
  func change<Value>(
    _ opened: inout Opened,
    _ work: (isolated StoreEngine, inout Opened, inout [UInt64]) throws(SQLiteFailure) -> Value
  ) throws(SQLiteFailure) -> Value {
    var removed: [UInt64] = []
    try opened.table.begin()
    isLockedOut = false
    try synchronize(&opened)
    for (id, count) in uses.take() { opened.queue.touch(id, count) }
    let value = try work(self, &opened, &removed)
    let isTrimmed = try opened.table.trim()
    try opened.table.commit()
    for nonce in removed { opened.contents.remove(nonce) }
    // A failure changes nothing: the log has the transaction.
    if isTrimmed { try? opened.table.checkpoint() }
    return value
  }
}
