public import LupineCore
import LupineFoundation
import HTTPTypes
import LupineSupport
import Synchronization

/// Keeps stored responses in memory, up to a number of bytes.
///
/// The bytes count contents, heads, keys and metadata, and what is being written. One response takes at most an eighth
/// of the size, and the responses that are being written at most half of it together; a further one is not stored. When
/// the store is full, it removes responses that are not read again (S3-FIFO), so that a scan of many URLs does not push
/// out what is used often. The contents are released with the store.
public final class MemoryResponseStore: ResponseStore {
  private let limit: Int64
  private let state: Mutex<State>

  /// Makes an empty store.
  ///
  /// - Parameter size: the most bytes that the store takes.
  public init(size: CacheSize) {
    limit = max(0, size.bytes)
    state = Mutex(State(room: limit))
  }

  /// The most bytes that one response takes, with its record.
  private var entryLimit: Int64 { limit / 8 }

  /// Returns the stored responses of a key.
  public func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
    parsedResponses(for: key).map(\.stored)
  }

  /// Returns the content, or a part of it; `nil` if the response was removed or replaced.
  public func content(
    of response: StoredResponse, in range: Range<Int64>?
  ) async throws(LupineError) -> RequestBody? {
    contentInMemory(of: response, in: range)
  }

  /// Makes a writer; `nil` if the response is too large.
  public func makeWriter(
    for record: ResponseRecord, length: Int64?
  ) async throws(LupineError) -> (any ResponseStoreWriter)? {
    let size = Self.size(of: record)
    guard size <= entryLimit, length ?? 0 <= entryLimit - size else { return nil }
    return MemoryWriter(store: self, record: record, length: length)
  }

  /// Replaces the record of a response.
  public func update(
    _ response: StoredResponse, to record: ResponseRecord
  ) async throws(LupineError) -> StoredResponse? {
    let (updated, released) = state.withLock { state in
      (state.update(response, to: record, size: Self.size(of: record)), state.makeRoom(limit))
    }
    _ = consume released
    return updated
  }

  /// Removes a response.
  public func remove(_ response: StoredResponse) async throws(LupineError) {
    let released = state.withLock { $0.remove(response) }
    _ = consume released
  }

  /// Removes all responses of a key.
  public func removeAll(for key: String) async throws(LupineError) {
    for response in parsedResponses(for: key) { try await remove(response.stored) }
  }

  /// Removes all responses that match.
  public func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError) {
    for response in state.withLock({ $0.all }) where matches(response) { try await remove(response) }
  }

  /// The number of bytes that the stored responses occupy.
  public func size() async throws(LupineError) -> Int64 { state.withLock { $0.queue.size } }

  /// The bytes of a record: its text, and an estimate for its entry and for what the cache parses from it.
  static func size(of record: ResponseRecord) -> Int64 {
    let fields = record.head.headerFields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    return Int64(768 + fields + record.key.utf8.count + record.variant.utf8.count + record.metadata.count)
  }
}

extension MemoryResponseStore: ImmediateStore {
  func responsesInMemory(for key: String) -> [ParsedResponse]? { parsedResponses(for: key) }

  func contentInMemory(of response: StoredResponse, in range: Range<Int64>?) -> RequestBody? {
    state.withLock { $0.read(response) }.map { .bytes($0, in: range) }
  }

  /// Whether the store has or had a response with `No-Vary-Search`.
  var mayHaveKeysWithoutQuery: Bool { state.withLock { $0.hasHadKeysWithoutQuery } }

  private func parsedResponses(for key: String) -> [ParsedResponse] { state.withLock { $0.responses(for: key) } }
}

extension MemoryResponseStore {
  /// Reserves room for bytes that a writer takes, and makes it; `false` if the response is too large, or half of the size
  /// is being written.
  fileprivate func reserve(_ count: Int64, after written: Int64, for record: ResponseRecord) -> Bool {
    guard written + count + Self.size(of: record) <= entryLimit else { return false }
    let (isReserved, released) = state.withLock { state -> (Bool, [State.Entry]) in
      guard state.reserved + count <= limit / 2 else { return (false, []) }
      state.reserved += count
      return (true, state.makeRoom(limit))
    }
    _ = consume released
    return isReserved
  }

  fileprivate func release(_ count: Int64) { state.withLock { $0.reserved -= count } }

  fileprivate func commit(_ record: ResponseRecord, _ content: Data, _ trailers: HTTPFields?) -> StoredResponse? {
    let (response, released) = state.withLock { state in
      let response = state.add(record, content, trailers, size: Self.size(of: record) + Int64(content.count))
      return (response, state.makeRoom(limit))
    }
    _ = consume released
    return response
  }
}

/// The responses of a memory store.
private struct State: Sendable {
  struct Entry {
    var response: ParsedResponse
    let content: Data
    let number: Int64
  }

  private var entries: [Int64: Entry] = [:]
  /// The responses of each key in the order of their commits, one for each variant.
  private var variants: [String: [ParsedResponse]] = [:]
  private var lastNumber: Int64 = 0
  private(set) var hasHadKeysWithoutQuery = false
  var queue: EvictionQueue
  /// The bytes of contents that are being written.
  var reserved: Int64 = 0

  init(room: Int64) { queue = EvictionQueue(room: room) }

  /// All responses, in the order of their commits.
  var all: [StoredResponse] { entries.values.sorted { $0.number < $1.number }.map(\.response.stored) }

  func responses(for key: String) -> [ParsedResponse] { variants[key] ?? [] }

  private func entry(_ response: StoredResponse) -> Entry? { Int64(response.id).flatMap { entries[$0] } }

  mutating func read(_ response: StoredResponse) -> Data? {
    guard let entry = entry(response) else { return nil }
    queue.touch(entry.number)
    return entry.content
  }

  mutating func add(_ record: ResponseRecord, _ content: Data, _ trailers: HTTPFields?, size: Int64) -> StoredResponse {
    if let old = responses(for: record.key).first(where: { $0.stored.record.variant == record.variant }) {
      _ = remove(old.stored)
    }
    lastNumber += 1
    let response = StoredResponse(
      id: String(lastNumber), record: record, length: Int64(content.count), trailers: trailers)
    let read = ParsedResponse(response)
    entries[lastNumber] = Entry(response: read, content: content, number: lastNumber)
    variants[record.key, default: []].append(read)
    if CacheKey.isWithoutQuery(record.key) { hasHadKeysWithoutQuery = true }
    var hasher = Hasher()
    hasher.combine(record.key)
    hasher.combine(record.variant)
    queue.insert(lastNumber, size: size, fingerprint: UInt64(bitPattern: Int64(hasher.finalize())))
    return response
  }

  mutating func update(_ response: StoredResponse, to record: ResponseRecord, size: Int64) -> StoredResponse? {
    guard let entry = entry(response) else { return nil }
    var updated = entry.response.stored
    updated.record = record
    let read = ParsedResponse(updated)
    entries[entry.number]?.response = read
    if let index = variants[record.key]?.firstIndex(where: { $0 === entry.response }) {
      variants[record.key]?[index] = read
    }
    queue.resize(entry.number, to: size + updated.length)
    return updated
  }

  /// Removes a response and returns its content, which is released outside the lock.
  mutating func remove(_ response: StoredResponse) -> Entry? { entry(response).flatMap { remove($0.number) } }

  private mutating func remove(_ number: Int64) -> Entry? {
    queue.remove(number)
    return forget(number)
  }

  private mutating func forget(_ number: Int64) -> Entry? {
    guard let entry = entries.removeValue(forKey: number) else { return nil }
    let key = entry.response.stored.record.key
    variants[key]?.removeAll { $0 === entry.response }
    if variants[key]?.isEmpty ?? false { variants[key] = nil }
    return entry
  }

  /// Removes responses until the others fit beside what is being written; returns the removed ones.
  mutating func makeRoom(_ limit: Int64) -> [Entry] {
    var removed: [Entry] = []
    while queue.size + reserved > limit, let number = queue.evict() {
      if let entry = forget(number) { removed.append(entry) }
    }
    return removed
  }
}

/// Writes one response to a memory store.
private final class MemoryWriter: ResponseStoreWriter {
  private let store: MemoryResponseStore
  private let record: ResponseRecord
  /// The content so far, which is reserved in the store; `nil` after the end.
  private let content: Mutex<Data?>

  init(store: MemoryResponseStore, record: ResponseRecord, length: Int64?) {
    self.store = store
    self.record = record
    // A stated length is not believed beyond a first piece.
    content = Mutex(Data(capacity: Int(min(max(0, length ?? 0), 1 << 20))))
  }

  deinit { _ = end() }

  func append(_ bytes: Data) async throws(LupineError) {
    let isTaken = content.withLock { content in
      guard let count = content?.count, store.reserve(Int64(bytes.count), after: Int64(count), for: record) else {
        return false
      }
      content?.append(bytes)
      return true
    }
    guard isTaken else {
      throw LupineError(.other, "The memory store has no room for the response; give the cache a larger size.")
    }
  }

  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? {
    end().flatMap { store.commit(record, $0, trailers) }
  }

  func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    end().flatMap { store.commit(record, $0, nil) }
  }

  func abort() async { _ = end() }

  /// Takes no more bytes and gives the reservation back; returns the content, `nil` if that was so before.
  private func end() -> Data? {
    guard let content = content.withLock({ $0.take() }) else { return nil }
    store.release(Int64(content.count))
    return content
  }
}
