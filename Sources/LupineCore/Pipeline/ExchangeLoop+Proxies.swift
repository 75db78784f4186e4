import HTTPTypes

extension ExchangeLoop {
  /// The request without a credential for a proxy, where no proxy reads its fields: the server would.
  func withoutForeignCredentials(_ request: OutgoingRequest) -> OutgoingRequest {
    guard request.headers[.proxyAuthorization] != nil, !isForwarded(request) else { return request }
    var copy = request
    copy.headers[.proxyAuthorization] = nil
    warn("Proxy-Authorization was left out, since no proxy would read it; name the credential with the proxy instead.")
    return copy
  }

  /// Whether a proxy reads the request itself, and makes none but the connection.
  private func isForwarded(_ request: OutgoingRequest) -> Bool {
    guard request.url.scheme == .http, let proxy = configuration.proxies.proxy(for: request.url) else { return false }
    return proxy.kind != .socks5
  }
}

extension SessionConfiguration {
  /// What a connection for this URL must be like.
  func identity(for url: HTTPURL) -> SecurityIdentity {
    guard !proxies.isEmpty else { return identity }
    var identity = identity
    identity.proxy = proxies.proxy(for: url)
    return identity
  }

  /// Who judges the proxy for this URL, where it has certificates.
  func proxyEvaluator(for url: HTTPURL) -> (any TrustEvaluator)? {
    guard let trustPolicy, let proxy = proxies.proxy(for: url), proxy.kind == .https else { return nil }
    return proxy.url.flatMap(trustPolicy.evaluator)
  }
}
