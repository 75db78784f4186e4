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
    let state: Mutex<State>

    init(_ key: PolicyKey.Value, _ state: sending State) {
      self.key = key
      self.state = Mutex(state)
    }
  }

  private struct Table {
    /// The entry that was used last: most programs talk to one server for a while.
    var last: Entry?
    var recent: [PolicyKey.Value: Entry] = [:]
    var older: [PolicyKey.Value: Entry] = [:]
  }

  private let limit: Int
  private let make: @Sendable () -> State
  private let isInUse: @Sendable (State) -> Bool
  private let table = Mutex(Table())

  /// - Parameters:
  ///   - limit: the number of keys after which those that were not used recently are dropped. Default: 1,000.
  ///   - isInUse: whether a state must be kept. Default: never.
  ///   - make: makes the state of a new key.
  init(
    limit: Int = 1_000, isInUse: @escaping @Sendable (State) -> Bool = { _ in false },
    _ make: @escaping @Sendable () -> State
  ) {
    self.limit = limit
    self.isInUse = isInUse
    self.make = make
  }

  /// Returns the state of a key; makes it if there is none.
  func entry(_ key: PolicyKey.Value) -> Entry {
    table.withLock { table in
      if let last = table.last, last.key == key { return last }
      let entry = table.recent[key] ?? table.older[key] ?? Entry(key, make())
      if table.recent[key] == nil { insert(entry, &table) }
      table.last = entry
      return entry
    }
  }

  /// Returns the state of a key, if it has been used.
  func known(_ key: PolicyKey.Value) -> Entry? { table.withLock { $0.recent[key] ?? $0.older[key] } }

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
