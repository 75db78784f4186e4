/// The transfers that wait for their turn by host, and the number of transfers that each host has.
struct WaitingLine: Sendable {
  /// The order of transfers: the priority, then the place, then the number.
  struct Key: Sendable, Hashable, Comparable {
    let priority: TransferPriority
    let place: Int64
    let id: TransferID

    static func < (left: Key, right: Key) -> Bool {
      if left.priority != right.priority { return left.priority > right.priority }
      return left.place != right.place ? left.place < right.place : left.id < right.id
    }
  }

  private struct Host {
    var keys = SortedKeys<Key>()
    /// The number of transfers that have a task.
    var load = 0
  }

  private let limitPerHost: Int
  private var hosts: [String: Host] = [:]
  /// The first key of each host that has room.
  private var ready = SortedKeys<Key>()

  init(limitPerHost: Int) { self.limitPerHost = limitPerHost }

  /// The first transfer of the hosts that have room.
  var first: TransferID? { ready.first?.id }

  mutating func insert(_ key: Key, host: String) { change(host) { $0.keys.insert(key) } }

  mutating func remove(_ key: Key, host: String) { change(host) { $0.keys.remove(key) } }

  /// Notes that a transfer of the host has got a task.
  mutating func begin(at host: String) { change(host) { $0.load += 1 } }

  /// Notes that the task of a transfer has ended.
  mutating func end(at host: String) { change(host) { $0.load -= 1 } }

  private mutating func change(_ name: String, _ change: (inout Host) -> Void) {
    // Taken out, so that it is not copied.
    var host = hosts.removeValue(forKey: name) ?? Host()
    let before = next(of: host)
    change(&host)
    let after = next(of: host)
    if before != after {
      if let before { ready.remove(before) }
      if let after { ready.insert(after) }
    }
    if !host.keys.isEmpty || host.load > 0 { hosts[name] = host }
  }

  private func next(of host: Host) -> Key? { host.load < limitPerHost ? host.keys.first : nil }
}
