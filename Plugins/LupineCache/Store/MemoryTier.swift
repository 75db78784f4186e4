import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Keeps copies of another store's records and small contents in memory, so that most hits wait for neither a disk nor a
/// server.
///
/// Every change goes to the store, and drops the copies of its key in this process. A copy answers a limited number of
/// requests and is then read again, so that the store knows what is used, and changes by other processes are noticed.
final class MemoryTier: ResponseStore {
  private let base: any ResponseStore
  private let limit: Int64
  private let state: Mutex<State>

  /// - Parameter size: the most bytes that the copies take. Those of one key take at most an eighth.
  init(over base: any ResponseStore, size: CacheSize) {
    self.base = base
    limit = max(0, size.bytes)
    state = Mutex(State(room: limit))
  }

  var leases: (any ResponseLeases)? { base.leases }

  func hashKey() throws(LupineError) -> [UInt8]? { try base.hashKey() }

  func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
    let mark = state.withLock { $0.changes.mark(of: key) }
    let found = try await base.responses(for: key)
    let copies = found.isEmpty ? nil : KeyCopies(found)
    let released = state.withLock { $0.replace(key, with: copies, since: mark, limit) }
    _ = consume released
    return found
  }

  func content(
    of response: StoredResponse, in range: Range<Int64>?
  ) async throws(LupineError) -> RequestBody? {
    if let content = contentInMemory(of: response, in: range) { return content }
    let mark = state.withLock { $0.changes.mark(of: response.record.key) }
    let content = try await base.content(of: response, in: range)
    if content == nil { drop(response.record.key) }
    if range == nil, case .bytes(let data) = content?.source {
      let released = state.withLock { $0.add(data, of: response, since: mark, limit) }
      _ = consume released
    }
    return content
  }

  func makeWriter(
    for record: ResponseRecord, length: Int64?
  ) async throws(LupineError) -> (any ResponseStoreWriter)? {
    guard let writer = try await base.makeWriter(for: record, length: length) else { return nil }
    return MemoryTierWriter(writer, record.key, self)
  }

  func update(
    _ response: StoredResponse, to record: ResponseRecord
  ) async throws(LupineError) -> StoredResponse? {
    defer { drop(record.key) }
    drop(record.key)
    return try await base.update(response, to: record)
  }

  func remove(_ response: StoredResponse) async throws(LupineError) {
    defer { drop(response.record.key) }
    drop(response.record.key)
    try await base.remove(response)
  }

  func removeAll(for key: String) async throws(LupineError) {
    defer { drop(key) }
    drop(key)
    try await base.removeAll(for: key)
  }

  func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError) {
    let isChanged = Atomic(false)
    // Also after an error, when some are removed.
    defer { if isChanged.load(ordering: .relaxed) { dropAll() } }
    try await base.removeAll { [self] response in
      guard matches(response) else { return false }
      isChanged.store(true, ordering: .relaxed)
      drop(response.record.key)
      return true
    }
  }

  func size() async throws(LupineError) -> Int64 { try await base.size() }

  /// Drops the copies of a key, and those that a call is about to add.
  ///
  /// A change calls it before and after: a copy that was read between the two may be of either state.
  func drop(_ key: String) {
    let released = state.withLock { state in
      state.changes.add(key)
      return state.remove(key)
    }
    _ = consume released
  }

  private func dropAll() {
    let released = state.withLock { state in
      state.changes.addAll()
      defer { state = State(room: limit, changes: state.changes) }
      return state
    }
    _ = consume released
  }
}

extension MemoryTier: ImmediateStore {
  func responsesInMemory(for key: String) -> [ParsedResponse]? { state.withLock { $0.responses(for: key) } }

  func contentInMemory(of response: StoredResponse, in range: Range<Int64>?) -> RequestBody? {
    state.withLock { $0.content(of: response) }.map { .bytes($0, in: range) }
  }

  /// The store may have some from an earlier process.
  var mayHaveKeysWithoutQuery: Bool { true }
}

/// The copies of one key.
private struct KeyCopies: Sendable {
  /// The number of requests that they answer before the store is asked again.
  static let maximumUses = 64

  let responses: [ParsedResponse]
  private(set) var contents: [String: Data] = [:]
  private(set) var size: Int64
  /// The number of the key in the queue.
  var number: Int64 = 0
  var uses = 0

  init(_ responses: [StoredResponse]) {
    self.responses = responses.map { ParsedResponse($0) }
    size = responses.reduce(0) { $0 + MemoryResponseStore.size(of: $1.record) }
  }

  mutating func add(_ content: Data, of response: StoredResponse) {
    guard contents[response.id] == nil else { return }
    contents[response.id] = content
    size += Int64(content.count)
  }
}

/// The copies of all keys.
private struct State: Sendable {
  var changes = Invalidations()
  private var copies: [String: KeyCopies] = [:]
  private var keys: [Int64: String] = [:]
  private var queue: EvictionQueue
  private var lastNumber: Int64 = 0

  init(room: Int64, changes: Invalidations = Invalidations()) {
    self.changes = changes
    queue = EvictionQueue(room: room)
  }

  mutating func responses(for key: String) -> [ParsedResponse]? {
    guard let found = copies[key], found.uses < KeyCopies.maximumUses else { return nil }
    copies[key]?.uses += 1
    queue.touch(found.number)
    return found.responses
  }

  func content(of response: StoredResponse) -> Data? { copies[response.record.key]?.contents[response.id] }

  /// Replaces the copies of a key, unless the key has changed since the new ones were read; returns what was removed.
  mutating func replace(
    _ key: String, with new: KeyCopies?, since mark: Invalidations.Mark, _ limit: Int64
  ) -> [KeyCopies] {
    guard changes.mark(of: key) == mark else { return [] }
    let former = remove(key)
    guard var new, new.size <= limit / 8 else { return [former].compactMap(\.self) }
    lastNumber += 1
    new.number = lastNumber
    copies[key] = new
    keys[lastNumber] = key
    queue.insert(lastNumber, size: new.size, fingerprint: UInt64(bitPattern: Int64(key.hashValue)))
    return makeRoom(limit) + [former].compactMap(\.self)
  }

  /// Adds the content of a response, unless its key has changed since it was read; returns what was evicted.
  mutating func add(
    _ content: Data, of response: StoredResponse, since mark: Invalidations.Mark, _ limit: Int64
  ) -> [KeyCopies] {
    let key = response.record.key
    guard changes.mark(of: key) == mark, let size = copies[key]?.size, size + Int64(content.count) <= limit / 8 else {
      return []
    }
    copies[key]?.add(content, of: response)
    if let changed = copies[key] { queue.resize(changed.number, to: changed.size) }
    return makeRoom(limit)
  }

  mutating func remove(_ key: String) -> KeyCopies? {
    guard let removed = copies.removeValue(forKey: key) else { return nil }
    keys[removed.number] = nil
    queue.remove(removed.number)
    return removed
  }

  private mutating func makeRoom(_ limit: Int64) -> [KeyCopies] {
    var removed: [KeyCopies] = []
    while queue.size > limit, let number = queue.evict() {
      if let key = keys.removeValue(forKey: number), let copies = copies.removeValue(forKey: key) {
        removed.append(copies)
      }
    }
    return removed
  }
}
