import HTTPTypes
import LupineCore
import LupineFoundation

// Writes responses to the store.
extension CacheStorage {
  /// The number of variants of a URL; a further one replaces the oldest.
  private static let maximumVariants = 16

  /// Stores a response from its pieces, unless the store fails or the resource has changed; if the response breaks off,
  /// stores its beginning.
  ///
  /// - Parameters:
  ///   - former: the response that was selected for the request. It is removed if the new one has another key, because
  ///     the server now says otherwise which parts of the query matter.
  ///   - next: returns the next piece, and waits for it.
  /// - Returns: why the response was not stored; `nil` if all of it or its beginning was.
  @discardableResult
  func write(
    _ record: ResponseRecord, length: Int64?, _ writing: EntryWriting, replacing former: StoredResponse? = nil,
    next: () async -> EntryQueue.Piece
  ) async -> StoringRefusal? {
    defer { end(writing, record.key) }
    let writer: any ResponseStoreWriter
    do throws(LupineError) {
      guard let new = try await store.makeWriter(for: record, length: length) else {
        return StoringRefusal(reason: "the store does not take it")
      }
      writer = new
    } catch {
      return StoringRefusal(error)
    }
    do throws(StoringRefusal) {
      let isWhole = try await fill(writer, with: record, length, writing, next)
      if isWhole, let former, former.record.key != record.key { try? await store.remove(former) }
      return nil
    } catch {
      await writer.abort()
      return error
    }
  }

  /// Passes the pieces to the writer and commits it; returns whether the response is whole.
  private func fill(
    _ writer: any ResponseStoreWriter, with record: ResponseRecord, _ length: Int64?, _ writing: EntryWriting,
    _ next: () async -> EntryQueue.Piece
  ) async throws(StoringRefusal) -> Bool {
    var written: Int64 = 0
    while true {
      switch await next() {
      case .bytes(let bytes):
        // Ends here, so that the waiters do not wait for the rest.
        guard !writing.isInvalidated else { throw .changed }
        written += Int64(bytes.count)
        do throws(LupineError) { try await writer.append(bytes) } catch { throw StoringRefusal(error) }
      case .end(let all):
        guard written == length ?? written else { throw StoringRefusal(reason: "it has another length than stated") }
        writing.hasArrived()
        let trailers = StoredHead.storing(trailers: all)
        try await commit(writing) { () throws(LupineError) in try await writer.commit(trailers: trailers) }
        return true
      case .interruption:
        guard let part = record.interrupted(after: written) else {
          throw StoringRefusal(reason: "it broke off, and its beginning is of no use")
        }
        try await commit(writing) { () throws(LupineError) in try await writer.commit(as: part) }
        return false
      case .failure(let reason): throw reason
      }
    }
  }

  /// Commits a response, joins it with its parts, and limits the variants of its key.
  private func commit(
    _ writing: EntryWriting, _ commit: () async throws(LupineError) -> StoredResponse?
  ) async throws(StoringRefusal) {
    guard !writing.isInvalidated else { throw .changed }
    do throws(LupineError) {
      guard let stored = try await commit() else { throw LupineError(.other, "The store did not keep the response.") }
      guard writing.isInvalidated else {
        await join(stored, writing)
        return await limitVariants(of: stored.record.key)
      }
      // The request that changed the resource came during the commit.
      try await store.remove(stored)
    } catch {
      throw StoringRefusal(error)
    }
    throw .changed
  }

  /// Removes the oldest variants of a key over the limit.
  private func limitVariants(of key: String) async {
    guard let all = try? await store.responses(for: key), all.count > Self.maximumVariants else { return }
    let dated = all.map { ($0, EntryMetadata($0.record.metadata)?.responseTime ?? .distantPast) }
    for (response, _) in dated.sorted(by: { $0.1 < $1.1 }).prefix(all.count - Self.maximumVariants) {
      try? await store.remove(response)
    }
  }
}
