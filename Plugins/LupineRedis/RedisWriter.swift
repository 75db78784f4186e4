import HTTPTypes
import LupineCore
import LupineFoundation
import Synchronization

/// Keeps the content of one response in memory, where it can be read while it grows, and stores it in one step.
final class RedisWriter: ReadableResponseStoreWriter {
  private struct State {
    /// The content so far, which stays for its readers after the end.
    var content = Data()
    /// Whether no more bytes are taken.
    var isEnded = false

    /// Takes no more bytes, and returns those that were taken; `nil` if that was so before.
    mutating func end() -> Data? {
      guard !isEnded else { return nil }
      isEnded = true
      return content
    }
  }

  private let store: RedisStore
  private let record: ResponseRecord
  private let state = Mutex(State())

  init(store: RedisStore, record: ResponseRecord) {
    self.store = store
    self.record = record
  }

  func append(_ bytes: Data) async throws(LupineError) {
    let limit = store.configuration.contentLimit
    let fits = state.withLock { state in
      guard !state.isEnded else { return true }
      guard bytes.count <= limit - state.content.count else {
        state.isEnded = true
        return false
      }
      state.content.append(bytes)
      return true
    }
    guard fits else {
      throw LupineError(
        .redisRefused, "The response is longer than \(limit) bytes, the limit contentLimit of the Redis store.")
    }
  }

  func read(_ range: Range<Int64>) async throws(LupineError) -> [UInt8] {
    let bytes = state.withLock { state in
      range.lowerBound >= 0 && range.upperBound <= state.content.count
        ? Array(state.content[Int(range.lowerBound)..<Int(range.upperBound)]) : nil
    }
    guard let bytes else { throw LupineError(.bodyFailed, "The response does not have these bytes.") }
    return bytes
  }

  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
    guard let content = state.withLock({ $0.end() }) else { return nil }
    return try await store.commit(record, content, trailers: trailers)
  }

  func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    guard let content = state.withLock({ $0.end() }) else { return nil }
    return try await store.commit(record, content, trailers: nil)
  }

  func abort() async { state.withLock { $0.isEnded = true } }
}
