import LupineCore
import LupineEventLoop

/// The addresses that a connection is made to, and those that a proxy receives.
extension Exchange {
  /// Finds the addresses of the peer and connects to them.
  func findPeer() {
    if setup.peers.isEmpty { find(route.peer.host) } else { dial(setup.peers) }
  }

  func find(_ host: String) {
    if let literal = IPAddress(host) {
      found([literal])
    } else if let addresses = route.connectionKey.resolverOverrides.addresses(of: host) {
      found(addresses)
    } else if let addresses = IPAddress.ofThisMachine(host) {
      finishLookup(addresses)
    } else if !setup.seeksTarget, let addresses = loop.lookups.keptAddresses(of: host) {
      finishLookup(addresses)
    } else {
      lookUp(host)
    }
  }

  /// Continues with the addresses of the host that was sought.
  private func found(_ addresses: [IPAddress]) {
    guard setup.seeksTarget else {
      setup.peers = addresses
      return dial(addresses)
    }
    guard let allowed = allowed(addresses) else { return }
    setup.seeksTarget = false
    setup.targets = allowed[...]
    findPeer()
  }

  private func lookUp(_ host: String) {
    do throws(LupineError) {
      let waiter = try loop.lookups.addWaiter(for: host) { [ticket = submission.ticket] in ticket.post(.lookedUp($0)) }
      setup.lookup = waiter
      if waiter.isQueued { context.emit(.queued(reason: loop.lookups.queueReason)) }
      loop.lookups.startThread()
    } catch {
      fail(error)
    }
  }

  func finishLookup(_ outcome: HostLookups.Outcome) {
    guard phase == .connecting, setup.lookup != nil else { return }
    setup.lookup = nil
    switch outcome {
    case .success(let addresses): finishLookup(addresses)
    case .failure(let error):
      times.lookedUp = MonotonicClock.now
      fail(setup.seeksTarget ? error : ConnectFailure.lookupError(error, route.proxy))
    }
  }

  private func finishLookup(_ addresses: [IPAddress]) {
    let now = MonotonicClock.now
    times.lookedUp = now
    let host = setup.seeksTarget ? route.origin.host : route.peer.host
    context.emit(.nameResolved(host: host, after: times.since(now)))
    found(Dial.interleaved(addresses))
  }

  /// Returns the server's addresses that the network policy allows; fails and returns `nil` without any.
  func allowed(_ addresses: [IPAddress]) -> [IPAddress]? {
    guard let policy = route.connectionKey.networkPolicy else { return addresses }
    let allowed = addresses.filter(policy.allows)
    guard allowed.isEmpty else { return allowed }
    fail(NetworkPolicy.refusal(of: addresses.first, for: request.url))
    return nil
  }
}

extension IPAddress {
  /// Returns the addresses of `localhost` and of the names below it (RFC 6761 section 6.3); `nil` for another name.
  fileprivate static func ofThisMachine(_ host: String) -> [IPAddress]? {
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    guard name == "localhost" || name.hasSuffix(".localhost") else { return nil }
    return ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
  }
}
