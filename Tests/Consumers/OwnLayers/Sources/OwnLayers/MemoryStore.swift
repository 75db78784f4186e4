import Foundation
import Lupine
import Synchronization

/// Keeps responses in memory up to a number of bytes; a new response replaces the oldest ones.
final class MemoryStore: ResponseStore {
  fileprivate struct Entry {
    var response: StoredResponse
    let content: Data

    var size: Int { content.count + response.record.metadata.count }
  }

  fileprivate struct State {
    /// The entries in the order of their commits.
    var entries: [Entry] = []
    var lastID = 0

    func index(_ response: StoredResponse) -> Int? { entries.firstIndex { $0.response.id == response.id } }
  }

  /// The maximum total size of the responses in bytes; one response may have this size as well.
  fileprivate let limit: Int
  private let state = Mutex(State())

  init(limit: Int = 1 << 20) { self.limit = limit }

  func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
    state.withLock { $0.entries.map(\.response).filter { $0.record.key == key } }
  }

  func content(of response: StoredResponse, in range: Range<Int64>?) async throws(LupineError) -> RequestBody? {
    guard let content = state.withLock({ state in state.index(response).map { state.entries[$0].content } }) else {
      return nil
    }
    guard let range else { return .bytes(content) }
    return .bytes(Data(content[Int(range.lowerBound)..<Int(range.upperBound)]))
  }

  func makeWriter(for record: ResponseRecord, length: Int64?) async throws(LupineError) -> (any ResponseStoreWriter)? {
    if let length, length > limit { return nil }
    return MemoryWriter(store: self, record: record)
  }

  func update(_ response: StoredResponse, to record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    state.withLock { state in
      guard let index = state.index(response) else { return nil }
      state.entries[index].response.record = record
      return state.entries[index].response
    }
  }

  func remove(_ response: StoredResponse) async throws(LupineError) {
    state.withLock { state in state.entries.removeAll { $0.response.id == response.id } }
  }

  func removeAll(for key: String) async throws(LupineError) {
    state.withLock { state in state.entries.removeAll { $0.response.record.key == key } }
  }

  func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError) {
    for response in state.withLock({ $0.entries.map(\.response) }) where matches(response) {
      try await remove(response)
    }
  }

  func size() async throws(LupineError) -> Int64 { state.withLock { $0.entries.reduce(0) { $0 + Int64($1.size) } } }

  fileprivate func commit(_ record: ResponseRecord, _ content: Data, _ trailers: HTTPFields?) -> StoredResponse? {
    state.withLock { state in
      state.lastID += 1
      let response = StoredResponse(
        id: String(state.lastID), record: record, length: Int64(content.count), trailers: trailers)
      let entry = Entry(response: response, content: content)
      guard entry.size <= limit else { return nil }
      state.entries.removeAll { $0.response.record.key == record.key && $0.response.record.variant == record.variant }
      state.entries.append(entry)
      while state.entries.reduce(0, { $0 + $1.size }) > limit { state.entries.removeFirst() }
      return response
    }
  }
}

/// Writes one response to a `MemoryStore`.
private final class MemoryWriter: ResponseStoreWriter {
  private let store: MemoryStore
  private let record: ResponseRecord
  private let content = Mutex(Data())

  init(store: MemoryStore, record: ResponseRecord) {
    self.store = store
    self.record = record
  }

  func append(_ bytes: Data) async throws(LupineError) {
    let count = content.withLock { content in
      content.append(bytes)
      return content.count
    }
    guard count <= store.limit else { throw LupineError(.other, "The store has no room for the response.") }
  }

  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
    store.commit(record, content.withLock { $0 }, trailers)
  }

  func abort() async { content.withLock { $0 = Data() } }
}
