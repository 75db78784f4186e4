import LupineCore

/// The watched hosts, and the kernel's answers about the routes to their addresses.
struct WatchedHosts {
  private enum Target {
    case unresolved(String)
    case addresses([IPAddress])
  }

  private struct Host {
    var target: Target
    var needsLookup = true
    var waiting: Set<UInt32> = []
    var routes: [RouteFacts] = []
  }

  private var hosts: [UInt64: Host] = [:]

  /// Sets a host's addresses.
  mutating func set(_ id: UInt64, _ addresses: [IPAddress]) { hosts[id] = Host(target: .addresses(addresses)) }

  /// Records that a name has no address; known addresses stay, because a lost network also loses its name servers.
  mutating func fail(_ id: UInt64, _ reason: String) {
    if case .addresses? = hosts[id]?.target { return }
    hosts[id] = Host(target: .unresolved(reason))
  }

  mutating func remove(_ id: UInt64) { hosts[id] = nil }

  /// Marks every host for a new lookup.
  mutating func markAllForLookup() {
    for id in hosts.keys { hosts[id]?.needsLookup = true }
  }

  /// Begins the pending lookups; returns the requests, and the hosts that need no request.
  mutating func begin(
    _ nextSequence: () -> UInt32
  ) -> (requests: [(request: NetlinkRequest, sequence: UInt32)], finished: [UInt64]) {
    var requests: [(request: NetlinkRequest, sequence: UInt32)] = []
    var finished: [UInt64] = []
    for id in hosts.keys.sorted() {
      guard var host = hosts[id], host.needsLookup else { continue }
      host.needsLookup = false
      host.waiting = []
      host.routes = []
      if case .addresses(let addresses) = host.target {
        let own = addresses.map { (request: NetlinkRequest.route($0), sequence: nextSequence()) }
        host.waiting = Set(own.map(\.sequence))
        requests += own
      }
      if host.waiting.isEmpty { finished.append(id) }
      hosts[id] = host
    }
    return (requests, finished)
  }

  /// Processes an answer; returns the host if this was its last one.
  mutating func answer(_ sequence: UInt32, _ message: KernelMessage) -> UInt64? {
    for (id, var host) in hosts where host.waiting.remove(sequence) != nil {
      if case .route(let route) = message, route.isForwarding { host.routes.append(route) }
      hosts[id] = host
      return host.waiting.isEmpty ? id : nil
    }
    return nil
  }

  /// Returns the status of a host.
  func status(of id: UInt64, in state: NetworkState) -> ReachabilityStatus {
    guard let host = hosts[id] else { return .unknown(.notDetermined) }
    if case .unresolved(let reason) = host.target { return .unknown(.hostNotResolved(reason)) }
    let hops = host.routes.flatMap(\.hops).filter { $0.interface.map(state.isRunning) ?? true }
    return state.status(over: hops.map { $0.interface.map(Int.init) })
  }
}
