import HTTPTypes
import LupineCore
import LupineFraming

/// The parts of an exchange that concern a proxy.
extension Exchange {
  /// How a proxy forwards the request; `nil` if the server receives it.
  var forwarding: RequestForwarding? { route.isForwarded ? RequestForwarding(authorization: proxyAuthorization) : nil }

  /// The field with the credential for the proxy.
  ///
  /// `HTTPField` replaces bytes that a field's value may not contain.
  var proxyAuthorization: HTTPField? {
    context.proxyAuthorization.map { HTTPField(name: .proxyAuthorization, value: $0) }
  }

  /// The error if the network policy refuses the server, whose address the URL contains and the proxy receives.
  ///
  /// A reused connection to a proxy that forwards may have carried requests to other servers.
  var refusal: LupineError? {
    guard let proxy = route.proxy, !proxy.resolvesNamesHere, let policy = route.connectionKey.networkPolicy,
      let literal = IPAddress(request.url.host), !policy.allows(literal)
    else { return nil }
    return NetworkPolicy.refusal(of: literal, for: request.url)
  }

  /// The sender of a response: only a proxy that forwards the request sends 407.
  func source(of head: ReceivedHead) -> TransportResponse.Source {
    guard route.isForwarded, head.statusLine.code == 407 else { return .origin }
    // A proxy that sends a challenge before it has read the whole body may stop reading from the connection, as squid 5
    // does.
    if outgoing.byteCount > 0 { mustClose = true }
    return .proxy
  }

  /// Returns the negotiation that leads a new connection through the proxy to the server; `nil` if none is necessary.
  func proxyNegotiation() throws(LupineError) -> (any ProxyNegotiation)? {
    guard let proxy = route.proxy, !route.isForwarded else { return nil }
    if route.isTunnelled {
      return TunnelNegotiation(
        to: route.origin, authorization: proxyAuthorization, through: proxy, context.limits, loop.heads)
    }
    let host = route.origin.host
    let address = setup.targets.first ?? IPAddress(host)
    return try SocksNegotiation(
      to: address.map { .address($0) } ?? .name(host), port: route.origin.port, through: proxy)
  }

  /// Makes the proxy connect to the server's next address after one that it could not connect to.
  func targetRefused(_ error: LupineError) {
    setup.establishment?.cancel()
    setup.establishment = nil
    setup.targets = setup.targets.dropFirst()
    guard !setup.targets.isEmpty else { return fail(error) }
    findPeer()
  }

  /// Delivers a proxy's refusal of a tunnel as the response.
  func finish(refused response: HTTPResponse) {
    let (body, writer) = context.makeBody(for: response, from: .proxy) {}
    incoming.writer = writer
    setResponse(response, code: response.status.code, body, from: .proxy)
    finish(ResponseEnd(trailers: nil, hasSurplus: false))
  }
}
