import LupineCore

/// The properties that exchanges must share to use the same pool of connections.
///
/// libcurl does not compare the required HTTP version, so the route contains it as well.
final class Route {
  let connectionKey: ConnectionKey
  let version: ProtocolVersion
  let proxy: Proxy?
  let hasProxy: Bool
  /// Whether the connection to the proxy uses TLS.
  let hasSecuredProxy: Bool
  let unixSocket: String?
  let networkPolicy: NetworkPolicy?
  /// Whether the session overrides addresses of hosts.
  let overridesResolver: Bool
  /// Whether libcurl authenticates connections to servers.
  let authenticatesConnections: Bool
  /// Whether there is an HTTP proxy, which forwards plain requests and opens tunnels for TLS.
  private let hasHTTPProxy: Bool
  /// Whether a connection without TLS must carry only one exchange, because the next one would fail in libcurl.
  let cannotSharePlainConnections: Bool

  init(_ connectionKey: ConnectionKey, _ version: ProtocolVersion) {
    self.connectionKey = connectionKey
    self.version = version
    proxy = connectionKey.proxy
    hasProxy = proxy != nil
    hasSecuredProxy = proxy?.kind == .https
    unixSocket = connectionKey.unixSocket
    networkPolicy = connectionKey.networkPolicy
    overridesResolver = !connectionKey.resolverOverrides.isEmpty
    authenticatesConnections = connectionKey.connectionCredential != nil
    hasHTTPProxy = connectionKey.hasTunnellingProxy
    cannotSharePlainConnections = version == .http2 && LibcurlInfo.breaksReusedPriorKnowledge
  }

  /// Whether an exchange with this connection key and version uses the route.
  func matches(_ connectionKey: ConnectionKey, _ version: ProtocolVersion) -> Bool {
    version == self.version && connectionKey == self.connectionKey
  }

  /// Whether the network policy allows an address.
  ///
  /// The policy does not apply to a proxy's own address; the addresses that the proxy connects to have been checked
  /// before.
  func allows(_ address: IPAddress?) -> Bool {
    guard let networkPolicy, !hasProxy, let address else { return true }
    return networkPolicy.allows(address)
  }

  /// The host and the port that libcurl connects to.
  func endpoint(for url: HTTPURL) -> (host: String, port: Int) {
    if let proxy { (proxy.host, proxy.port) } else { (url.host, url.effectivePort) }
  }

  /// Whether requests of this scheme use a proxy's tunnel.
  func isTunnelled(_ scheme: HTTPURL.Scheme) -> Bool { hasHTTPProxy && scheme == .https }

  /// Whether a proxy forwards requests of this scheme.
  func isForwarded(_ scheme: HTTPURL.Scheme) -> Bool { hasHTTPProxy && scheme == .http }

  /// Whether libcurl may answer a challenge with this status code itself.
  func answers(_ code: Int, _ scheme: HTTPURL.Scheme) -> Bool {
    switch code {
    case 401: authenticatesConnections
    case 407: isForwarded(scheme) && proxy?.connectionCredential != nil
    default: false
    }
  }

  /// Whether a connection for this scheme must carry only one exchange.
  func cannotShareConnection(_ scheme: HTTPURL.Scheme) -> Bool {
    cannotSharePlainConnections && scheme == .http
  }
}
