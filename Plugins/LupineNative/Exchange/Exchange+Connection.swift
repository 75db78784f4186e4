import HTTPTypes
import LupineCore
import LupineEventLoop

/// The connection of an exchange.
extension Exchange {
  /// Takes a connection that exists, or lets `setup` get one.
  func connect() {
    phase = .connecting
    if route.proxy != nil, let refusal { return fail(refusal) }
    if mayShareConnection, let shared = loop.connections.takeShared(for: route, context.connections) {
      return use(shared)
    }
    if mayUseIdleHTTP1, !context.needsNewConnection,
      let connection = loop.connections.take(for: route, context.connections)
    {
      return use(connection, isReused: true)
    }
    let setup = ConnectionSetup(self)
    self.setup = setup
    setup.begin()
  }

  /// Sends the request on a connection of its own, with HTTP/1.1.
  func use(_ connection: Connection, isReused: Bool) {
    use(HTTP1Carrier(self, on: connection), on: connection, isReused: isReused)
  }

  /// Sends the request on a stream of a connection with HTTP/2.
  func use(_ shared: HTTP2Connection) {
    let isReused = shared.hasBeenUsed
    use(HTTP2Carrier(self, on: shared), on: shared.connection, isReused: isReused)
  }

  private func use(_ carrier: any Carrier, on connection: Connection, isReused: Bool) {
    phase = .active
    self.connection = connection
    self.carrier = carrier
    self.isReused = isReused
    times.connectionTaken = loop.now
    context.emit(.connected(address: connection.address, isReused: isReused))
    if !isReused, let tls = connection.tls { context.emit(.secured(tls)) }
    let setup = setup.take()
    carrier.begin()
    // Last, because the exchanges that wait for the connection get their streams after this one.
    setup?.close()
  }

  /// The error if the network policy refuses the address in the URL, to which the proxy would connect.
  ///
  /// A reused connection to a proxy that forwards may have carried requests to other servers.
  private var refusal: LupineError? {
    guard let proxy = route.proxy, !proxy.resolvesNamesHere, let policy = route.connectionKey.networkPolicy,
      let literal = IPAddress(host: request.url.host), !policy.allows(literal)
    else { return nil }
    return NetworkPolicy.refusal(of: literal, for: request.url)
  }
}

/// The versions of HTTP that the connection may have.
extension Exchange {
  /// Whether the request asks for HTTP/2.
  ///
  /// A proxy that forwards the request is sent HTTP/1.1, and decides the version in which it sends the request on.
  var asksForHTTP2: Bool { request.version == .http2 && !route.isForwarded }

  /// Whether the request uses HTTP/2 without a negotiation (RFC 9113 section 3.3).
  var hasPriorKnowledge: Bool { asksForHTTP2 && request.url.scheme == .http }

  /// Whether the connection may have HTTP/2: by prior knowledge, or because TLS negotiates it.
  var mayUseHTTP2: Bool { asksForHTTP2 || (request.version == nil && request.url.scheme == .https) }

  /// Whether the exchange may share a connection with others.
  var mayShareConnection: Bool { mayUseHTTP2 && context.connections.isKeptAlive }

  /// Whether an idle connection of HTTP/1.1 may carry the request.
  ///
  /// A request that asks for HTTP/2 uses one only after the server has declined HTTP/2.
  private var mayUseIdleHTTP1: Bool {
    !asksForHTTP2 || (!hasPriorKnowledge && route.sharing.selectsHTTP2 == false)
  }
}
