import LupineCore
import Synchronization

/// The states of a policy: one for each key, made when it is first used.
///
/// An exchange finds its state once and holds it until it ends. Beyond 1,000 keys, states that were not used recently
/// are dropped, except those that `isInUse` keeps.
final class PolicyStates<State: Sendable>: Sendable {
  /// The state of one key.
  final class Entry: Sendable {
    let key: PolicyKey.Value
    /// The URL of the key's origin, without the path and the query of a request; `nil` for a key that is no origin.
    let origin: HTTPURL?
    let state: Mutex<State>

    init(_ key: PolicyKey.Value, _ state: sending State) {
      self.key = key
      origin = if case .origin(let origin) = key { try? HTTPURL(origin.description) } else { nil }
      self.state = Mutex(state)
    }
  }

  private struct Table {
    /// The entry that was used last: most programs talk to one server for a while.
    var last: Entry?
    var recent: [PolicyKey.Value: Entry] = [:]
    var older: [PolicyKey.Value: Entry] = [:]
  }

  private let key: PolicyKey
  private let limit: Int
  private let make: @Sendable () -> State
  private let isInUse: @Sendable (State) -> Bool
  private let table = Mutex(Table())

  /// - Parameters:
  ///   - key: the requests that share a state.
  ///   - limit: the number of keys after which those that were not used recently are dropped. Default: 1,000.
  ///   - isInUse: whether a state must be kept. Default: never.
  ///   - make: makes the state of a new key.
  init(
    by key: PolicyKey, limit: Int = 1_000, isInUse: @escaping @Sendable (State) -> Bool = { _ in false },
    _ make: @escaping @Sendable () -> State
  ) {
    self.key = key
    self.limit = limit
    self.isInUse = isInUse
    self.make = make
  }

  /// Returns the state of a request's key; makes it if there is none.
  func entry(of request: OutgoingRequest) -> Entry {
    // The closure of a program is not called under the lock.
    let known = key.isOrigin ? nil : key.value(for: request)
    return table.withLock { table in
      // Without the key of an origin, which copies the host.
      if let last = table.last, last.origin?.hasSameOrigin(as: request.url) ?? (last.key == known) { return last }
      let key = known ?? self.key.value(for: request)
      let entry = table.recent[key] ?? table.older[key] ?? Entry(key, make())
      if table.recent[key] == nil { insert(entry, &table) }
      table.last = entry
      return entry
    }
  }

  /// Returns the state of a request's key, if it has been used.
  func known(of request: OutgoingRequest) -> Entry? {
    let key = key.value(for: request)
    return table.withLock { $0.recent[key] ?? $0.older[key] }
  }

  private func insert(_ entry: Entry, _ table: inout Table) {
    table.older[entry.key] = nil
    if table.recent.count >= limit {
      let used = table.older.filter { other in other.value.state.withLock { isInUse($0) } }
      table.older = table.recent.merging(used) { entry, _ in entry }
      table.recent = [:]
    }
    table.recent[entry.key] = entry
  }
}
