import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// The stored responses of a cache, those that are being stored, and those that are being refreshed.
///
/// An error of the store is not one of a request: it counts as a missing response.
final class CacheStorage: Sendable {
  /// The largest number of connection keys whose hashes are kept.
  private static let maximumConnections = 1_000

  private struct State {
    var writings: [String: [ObjectIdentifier: EntryWriting]] = [:]
    var invalidations = Invalidations()
    var refreshing: Set<String> = []
    var leaders = Leaders()
    var connections: [ConnectionKey: String] = [:]
    var lastConnection: UInt64 = 0
    /// Whether a response with `No-Vary-Search` was or is being stored.
    var hasWrittenKeysWithoutQuery = false
  }

  let store: any ResponseStore
  /// Bounds the calls of a store that may not answer; `nil` for a store in memory.
  let calls: StoreCalls?
  /// The store if it can answer from memory; `nil` for another store.
  let immediate: (any ImmediateStore)?
  let isShared: Bool
  let hash: KeyedHash
  /// Whether the hashes have a key; without one anyone can test guesses of what was hashed.
  private let hasHashKey: Bool
  /// Random text that no other process has.
  private let processMark: String
  private let refreshLimit: Int
  /// How long a request waits for the response to another one.
  let waitLimit: Duration
  /// `nil` if the store has no leases.
  let leases: CacheLeases?
  private let state = Mutex(State())

  /// - Parameter leaseLifetime: the time after which another machine may send a request that this one has sent.
  init(
    store: any ResponseStore, calls: StoreCalls?, hashKey: [UInt8]?, isShared: Bool, refreshLimit: Int,
    waitLimit: Duration, leaseLifetime: Duration, random: () -> UInt64
  ) {
    self.store = store
    self.calls = calls
    immediate = store as? any ImmediateStore
    self.isShared = isShared
    self.refreshLimit = refreshLimit
    self.waitLimit = waitLimit
    leases = store.leases.map { CacheLeases($0, lifetime: leaseLifetime) }
    // Without a key the hashes are the same for every cache of the store; they are then of nothing secret.
    hash = KeyedHash(key: hashKey ?? [])
    hasHashKey = hashKey != nil
    processMark = Hexadecimal.text(KeyedHash.makeKey(random))
  }

  /// Whether the store may hold this hash of a credential or of a connection key: it is keyed, or `none`.
  func mayStore(_ hash: String) -> Bool { hasHashKey || hash == KeyedHash.none }

  /// Returns what identifies a connection key in stored responses: a keyed hash, or `none` for a key without settings.
  ///
  /// A key that other processes can compare has the same hash in all of them. Any other key gets a
  /// hash for this process, which is forgotten after many further keys; its responses are then not found again.
  func connection(_ key: ConnectionKey) -> String {
    guard key != ConnectionKey() else { return KeyedHash.none }
    return state.withLock { state in
      if let text = state.connections[key] { return text }
      if state.connections.count >= Self.maximumConnections { state.connections = [:] }
      let text = hash.text(of: connectionParts(of: key, &state.lastConnection))
      state.connections[key] = text
      return text
    }
  }

  private func connectionParts(of key: ConnectionKey, _ last: inout UInt64) -> [String] {
    if let parts = key.portableParts { return ["connection of any process"] + parts }
    last += 1
    return ["connection of one process", processMark, String(last)]
  }

  /// Waits for responses that have arrived to be stored, then returns those of the key.
  ///
  /// - Throws: the error of the store.
  func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
    while let writing = state.withLock({ $0.writings[key]?.values.first { $0.isCommitting } }) {
      guard let calls else {
        await writing.isOver.wait()
        if Task.isCancelled { return [] }
        continue
      }
      guard await calls.wait(for: writing.isOver) else {
        throw LupineError(
          .storeUnavailable, "The store of the cache needs more than a second to store a response of this URL.")
      }
    }
    return try await store.responses(for: key)
  }

  /// Returns the next bytes of a stored content; `nil` at the end.
  func next(of reader: ContentReader) async throws(LupineError) -> Data? {
    guard let calls else { return try await reader.next() }
    return try await calls.call { () throws(LupineError) in try await reader.next() }
  }

  /// Returns the stored responses of a key if they are in memory and none is being committed; `nil` if not.
  func responsesInMemory(for key: String) -> [ParsedResponse]? {
    guard let immediate, !state.withLock({ $0.writings[key]?.values.contains { $0.isCommitting } ?? false }) else {
      return nil
    }
    return immediate.responsesInMemory(for: key)
  }

  /// Whether there may be a response with `No-Vary-Search`; only a store in memory can tell.
  var mayHaveKeysWithoutQuery: Bool {
    guard let immediate else { return true }
    return immediate.mayHaveKeysWithoutQuery || state.withLock { $0.hasWrittenKeysWithoutQuery }
  }

  /// Returns a mark of a key that differs after `invalidate(_:)`.
  func invalidationMark(of key: CacheKey) -> Invalidations.Mark {
    state.withLock { $0.invalidations.mark(of: key.exact) }
  }

  /// Removes all responses of a key, and discards those that are under way or being stored.
  ///
  /// - Throws: the last error of the store.
  func invalidate(_ key: CacheKey) async throws(LupineError) {
    var failure: LupineError?
    for key in key.all {
      preventStoring(key)
      do throws(LupineError) { try await store.removeAll(for: key) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Cancels the writes of a key, and keeps running requests from storing their responses under it.
  func preventStoring(_ key: String) {
    let writings = state.withLock { state in
      state.invalidations.add(key)
      return Array((state.writings[key] ?? [:]).values)
    }
    for writing in writings { writing.invalidate() }
  }

  /// Cancels every write, and keeps running requests from storing their responses.
  func preventStoringAll() {
    let writings = state.withLock { state in
      state.invalidations.addAll()
      return state.writings.values.flatMap(\.values)
    }
    for writing in writings { writing.invalidate() }
  }

  // Storing

  /// Registers a response that is about to be stored; `nil` if the resource has changed since its request was sent.
  ///
  /// - Parameters:
  ///   - key: the key under which the response is stored.
  ///   - mark: the mark of the request's URL, from before the request was sent.
  func begin(_ key: String, since mark: Invalidations.Mark, of url: CacheKey) -> EntryWriting? {
    let writing = begin(key)
    // Compared after `begin`, so that an invalidation is noticed here or by the writing.
    guard invalidationMark(of: url) == mark else {
      end(writing, key)
      return nil
    }
    return writing
  }

  /// Registers a response that is about to be stored.
  func begin(_ key: String) -> EntryWriting {
    let writing = EntryWriting()
    state.withLock { state in
      state.writings[key, default: [:]][ObjectIdentifier(writing)] = writing
      if CacheKey.isWithoutQuery(key) { state.hasWrittenKeysWithoutQuery = true }
    }
    return writing
  }

  func end(_ writing: EntryWriting, _ key: String) {
    state.withLock { state in
      state.writings[key]?[ObjectIdentifier(writing)] = nil
      if state.writings[key]?.isEmpty ?? false { state.writings[key] = nil }
    }
    writing.isOver.set()
  }

  // Requests that wait for others

  func join(_ name: Leader.Name) -> Leaders.Role { state.withLock { $0.leaders.join(name) } }

  /// Ends the wait for the head of a leader's response.
  ///
  /// Unless the response is being stored, this also ends the leader.
  func endHead(of leader: Leader, _ name: Leader.Name) {
    leader.recordFirst(.failed)
    if case .storing = leader.outcome {} else { end(leader, name) }
    leader.hasHead.set()
  }

  /// Ends the wait for a leader.
  func end(_ leader: Leader, _ name: Leader.Name) {
    state.withLock { $0.leaders.end(leader, name) }
    leader.isOver.set()
  }

  /// Records whether requests wait for the responses of a name.
  func record(isShareable: Bool, _ name: Leader.Name) {
    state.withLock { $0.leaders.record(isShareable: isShareable, name) }
  }

  /// Whether no request is under way that others wait for, and no response is being stored.
  var isIdle: Bool { state.withLock { $0.leaders.isEmpty && $0.writings.isEmpty } }

  // Refreshing

  /// Registers a refresh in the background; `false` if the response is being refreshed, or too many are.
  func beginRefresh(_ name: String) -> Bool {
    state.withLock { $0.refreshing.count < refreshLimit && $0.refreshing.insert(name).inserted }
  }

  func endRefresh(_ name: String) { state.withLock { _ = $0.refreshing.remove(name) } }
}
