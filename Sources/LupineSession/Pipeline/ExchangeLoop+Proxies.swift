import HTTPTypes
import LupineCore

extension ExchangeLoop {
  /// Removes `Proxy-Authorization` if no proxy reads the request's fields, because the server would receive it.
  ///
  /// - Parameter proxyAuthorization: the value that replaces it for the proxy.
  func dropForeignCredentials(of request: inout OutgoingRequest, _ proxyAuthorization: String?) {
    guard request.findings.contains(.proxyAuthorization) else { return }
    let isForwarded = session.passage(to: request.url)?.isForwarded == true
    if isForwarded, proxyAuthorization == nil { return }
    request.headers[.proxyAuthorization] = nil
    request.scanFields()
    if !isForwarded {
      warn(
        "Proxy-Authorization was left out, since no proxy would read it; name the credential with the proxy instead.")
    }
  }
}

// Methods of the session, because a call on its configuration copies the configuration.
extension Session {
  /// The connection key of a request.
  func identity(for request: OutgoingRequest) -> ConnectionKey {
    // Without proxies, returns the shared value: no copy, and a fast comparison.
    guard hasProxies else { return configuration.identity }
    var identity = configuration.identity
    identity.proxy = configuration.proxies.proxy(for: request.url)
    return identity
  }

  /// The trust evaluator of the proxy for this URL, if it is an HTTPS proxy.
  func proxyEvaluator(for url: HTTPURL) -> (any TrustEvaluator)? {
    guard !configuration.proxies.isEmpty, let trustPolicy = configuration.trustPolicy,
      let proxy = configuration.proxies.proxy(for: url), proxy.kind == .https
    else { return nil }
    return proxy.url.flatMap(trustPolicy.evaluator)
  }
}
