import LupineCore
import LupineEventLoop

/// The addresses that a connection is made to, and those that a proxy receives.
extension ConnectionSetup {
  /// The lookups of the session's resolver, which the route keeps with their addresses.
  var lookups: HostLookups {
    if let known = route.lookups { return known }
    let lookups = loop.lookups.lookups(of: context.resolver)
    route.lookups = lookups
    return lookups
  }

  /// Finds the addresses of the peer and connects to them.
  func findPeer() {
    if peers.isEmpty { find(route.peer.host) } else { dial(peers) }
  }

  func find(_ host: String) {
    if let literal = IPAddress(host: host) {
      found([literal])
    } else if let addresses = route.connectionKey.resolverOverrides.addresses(of: host) {
      found(addresses)
    } else if let addresses = IPAddress.ofThisMachine(host) {
      lookupSucceeded(addresses)
    } else if !seeksTarget, let addresses = lookups.keptAddresses(of: host) {
      lookupSucceeded(addresses)
    } else {
      lookUp(host)
    }
  }

  /// Continues with the addresses of the host that was sought.
  private func found(_ addresses: [IPAddress]) {
    exchange.times.lookedUp = loop.now
    guard seeksTarget else {
      peers = addresses
      return dial(addresses)
    }
    guard let allowed = allowed(addresses) else { return }
    seeksTarget = false
    targets = allowed[...]
    findPeer()
  }

  /// Connects to the addresses in turn.
  ///
  /// The network policy is about servers: it does not apply to a proxy's own addresses.
  private func dial(_ addresses: [IPAddress]) {
    guard let addresses = route.proxy == nil ? allowed(addresses) : addresses else { return }
    dial(addresses.map { .internet($0, port: route.peer.port) })
  }

  private func lookUp(_ host: String) {
    do throws(LupineError) {
      let ticket = exchange.submission.ticket
      let waiter = try lookups.addWaiter(for: host) { ticket.post(.lookedUp($0)) }
      lookup = waiter
      if waiter.isQueued { context.emit(.queued(reason: lookups.queueReason)) }
      lookups.start()
    } catch {
      exchange.fail(error)
    }
  }

  /// Continues after the lookup; no effect if none runs.
  func lookedUp(_ outcome: HostLookups.Outcome) {
    guard lookup != nil else { return }
    lookup = nil
    switch outcome {
    case .success(let addresses): lookupSucceeded(addresses)
    case .failure(let error):
      exchange.times.lookedUp = loop.now
      exchange.fail(seeksTarget ? error : ConnectFailure.lookupError(error, route.proxy))
    }
  }

  private func lookupSucceeded(_ addresses: [IPAddress]) {
    let host = seeksTarget ? route.origin.host : route.peer.host
    context.emit(.nameResolved(host: host, after: exchange.times.since(loop.now)))
    found(Dial.interleaved(addresses))
  }

  /// Returns the server's addresses that the network policy allows; fails and returns `nil` without any.
  private func allowed(_ addresses: [IPAddress]) -> [IPAddress]? {
    guard let policy = route.connectionKey.networkPolicy else { return addresses }
    let allowed = addresses.filter(policy.allows)
    guard allowed.isEmpty else { return allowed }
    exchange.fail(NetworkPolicy.refusal(of: addresses.first, for: exchange.request.url))
    return nil
  }
}
