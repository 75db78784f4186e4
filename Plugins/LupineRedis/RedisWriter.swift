import HTTPTypes
import LupineCore
import LupineFoundation
import Synchronization

/// Keeps the content of one response in memory, and stores it in one step.
final class RedisWriter: ResponseStoreWriter {
  private let store: RedisStore
  private let record: ResponseRecord
  /// The content so far; `nil` once no more bytes are taken.
  private let content = Mutex<Data?>(Data())

  init(store: RedisStore, record: ResponseRecord) {
    self.store = store
    self.record = record
  }

  func append(_ bytes: Data) async throws(LupineError) {
    let limit = store.configuration.contentLimit
    let fits = content.withLock { content in
      guard let count = content?.count else { return true }
      guard bytes.count <= limit - count else {
        content = nil
        return false
      }
      content?.append(bytes)
      return true
    }
    guard fits else {
      throw LupineError(
        .redisRefused, "The response is longer than \(limit) bytes, the limit contentLimit of the Redis store.")
    }
  }

  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
    guard let content = end() else { return nil }
    return try await store.commit(record, content, trailers: trailers)
  }

  func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    guard let content = end() else { return nil }
    return try await store.commit(record, content, trailers: nil)
  }

  func abort() async { _ = end() }

  /// Takes no more bytes, and returns those that were taken; `nil` if that was so before.
  private func end() -> Data? { content.withLock { $0.take() } }
}
