import HTTPTypes
import LupineCore

extension ExchangeLoop {
  /// Takes out a credential for a proxy, where no proxy reads the request's fields: the server would.
  ///
  /// - Parameter proxyAuthorization: what goes to the proxy in its place.
  func dropForeignCredentials(of request: inout OutgoingRequest, _ proxyAuthorization: String?) {
    guard request.findings.contains(.proxyAuthorization) else { return }
    let isForwarded = session.passage(to: request.url)?.isForwarded == true
    if isForwarded, proxyAuthorization == nil { return }
    request.headers[.proxyAuthorization] = nil
    request.lookAtFields()
    if !isForwarded {
      warn(
        "Proxy-Authorization was left out, since no proxy would read it; name the credential with the proxy instead.")
    }
  }
}

// Parts of the session, since a method of its configuration would be handed a copy of all of it.
extension Session {
  /// What a connection for this request must be like.
  func identity(for request: OutgoingRequest) -> ConnectionKey {
    // A change would make a copy, and whether two identities are the same is seen soonest where they are one.
    guard hasProxies else { return configuration.identity }
    var identity = configuration.identity
    identity.proxy = configuration.proxies.proxy(for: request.url)
    return identity
  }

  /// Who judges the proxy for this URL, where it has certificates.
  func proxyEvaluator(for url: HTTPURL) -> (any TrustEvaluator)? {
    guard !configuration.proxies.isEmpty, let trustPolicy = configuration.trustPolicy,
      let proxy = configuration.proxies.proxy(for: url), proxy.kind == .https
    else { return nil }
    return proxy.url.flatMap(trustPolicy.evaluator)
  }
}
