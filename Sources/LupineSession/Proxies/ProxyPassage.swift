import HTTPTypes
import LupineCore

/// The way of a request through a proxy that speaks HTTP.
struct ProxyPassage: Sendable {
  let proxy: Proxy
  /// Whether the proxy reads the request itself; otherwise it is asked for a tunnel (RFC 9110 section 9.3.6).
  let isForwarded: Bool

  /// The way to a URL; `nil` where no proxy reads anything of a request.
  init?(_ proxy: Proxy?, to url: HTTPURL) {
    guard let proxy, proxy.kind != .socks5 else { return nil }
    self.proxy = proxy
    isForwarded = url.scheme == .http
  }

  /// The proxy as one who asks for a credential.
  var recipient: AuthenticationContext.Recipient {
    .proxy(HTTPURL.Origin(scheme: proxy.kind == .https ? .https : .http, host: proxy.host, port: proxy.port))
  }

  /// The request as the proxy sees it.
  func request(for request: OutgoingRequest) -> OutgoingRequest {
    isForwarded ? request : OutgoingRequest(url: request.url, method: .connect)
  }
}

extension Session {
  /// The way of a request through a proxy; `nil` where no proxy reads anything of it.
  func passage(to url: HTTPURL) -> ProxyPassage? {
    configuration.proxies.isEmpty ? nil : ProxyPassage(configuration.proxies.proxy(for: url), to: url)
  }
}
