import LupineCore
import LupineEventLoop

/// The addresses that a connection is made to, and those that a proxy receives.
extension ConnectionSetup {
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
    } else if !seeksTarget, let addresses = loop.lookups.keptAddresses(of: host) {
      lookupSucceeded(addresses)
    } else {
      lookUp(host)
    }
  }

  /// Continues with the addresses of the host that was sought.
  private func found(_ addresses: [IPAddress]) {
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
      let waiter = try loop.lookups.addWaiter(for: host) { ticket.post(.lookedUp($0)) }
      lookup = waiter
      if waiter.isQueued { context.emit(.queued(reason: loop.lookups.queueReason)) }
      loop.lookups.startThread()
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
    exchange.times.lookedUp = loop.now
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

extension IPAddress {
  /// Returns the addresses of `localhost` and of the names below it (RFC 6761 section 6.3); `nil` for another name.
  fileprivate static func ofThisMachine(_ host: String) -> [IPAddress]? {
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    guard name == "localhost" || name.hasSuffix(".localhost") else { return nil }
    return ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
  }
}
