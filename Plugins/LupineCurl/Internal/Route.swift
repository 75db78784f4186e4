import LupineCore

/// What exchanges must have in common to share libcurl's pool of connections, and what follows from it for each of them.
///
/// libcurl does not compare the version of HTTP that was asked for, so it stands here as well.
final class Route {
  let identity: ConnectionKey
  let version: ProtocolVersion
  let proxy: Proxy?
  let hasProxy: Bool
  /// Whether the proxy is spoken to over TLS.
  let hasSecuredProxy: Bool
  let unixSocket: String?
  let networkPolicy: NetworkPolicy?
  /// Whether addresses are named for hosts.
  let overridesResolver: Bool
  /// Whether libcurl proves connections to servers.
  let provesConnections: Bool
  /// Whether there is a proxy that reads requests, or opens a tunnel for them.
  private let isReadByProxy: Bool
  /// Whether libcurl would break a connection that carries more than one exchange, without TLS.
  let breaksPlainConnections: Bool

  init(_ submission: Submission) {
    identity = submission.identity
    version = submission.version
    proxy = identity.proxy
    hasProxy = proxy != nil
    hasSecuredProxy = proxy?.kind == .https
    unixSocket = identity.unixSocket
    networkPolicy = identity.networkPolicy
    overridesResolver = !identity.resolverOverrides.isEmpty
    provesConnections = identity.connectionCredential != nil
    isReadByProxy = identity.hasTunnellingProxy
    breaksPlainConnections = version == .http2 && LibraryFacts.breaksReusedPriorKnowledge
  }

  /// Whether the exchange has all that in common.
  func isRoute(of submission: Submission) -> Bool {
    submission.version == version && submission.identity == identity
  }

  /// Whether a proxy is asked for a tunnel to the server.
  func isTunnelled(_ scheme: HTTPURL.Scheme) -> Bool { isReadByProxy && scheme == .https }

  /// Whether a proxy reads the request and makes one like it.
  func isForwarded(_ scheme: HTTPURL.Scheme) -> Bool { isReadByProxy && scheme == .http }

  /// Whether a connection must not carry more than one exchange, because libcurl would break it.
  func sharesNoConnection(_ scheme: HTTPURL.Scheme) -> Bool {
    breaksPlainConnections && scheme == .http
  }
}
