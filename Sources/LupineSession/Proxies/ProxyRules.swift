import HTTPTypes
import LupineCore

/// Which proxy a request goes through.
struct ProxyRules: Sendable, Hashable {
  var http: Proxy?
  var https: Proxy?
  var exceptions = ProxyExceptions([])

  /// Asked for by every exchange, and so without a copy of a proxy.
  var isEmpty: Bool {
    if case nil = http, case nil = https { true } else { false }
  }

  /// Every proxy that a request may go through.
  var all: [Proxy] { [http, https].compactMap(\.self) }

  func proxy(for url: HTTPURL) -> Proxy? {
    guard let proxy = url.scheme == .http ? http : https, !exceptions.contains(url) else { return nil }
    return proxy
  }
}

extension ProxyRules {
  /// The proxies that the environment names: `http_proxy`, `https_proxy`, `all_proxy`, and hosts without one in
  /// `no_proxy`; each in capitals as well.
  ///
  /// Under CGI, `HTTP_PROXY` is what a client has sent as its field `Proxy`, and is not looked at.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` for a proxy whose URL is none; the message names the variable.
  static func environment(_ variable: (String) -> String?) throws(LupineError) -> ProxyRules {
    let isCGI = variable("REQUEST_METHOD") != nil || variable("GATEWAY_INTERFACE") != nil
    let everywhere = ["all_proxy", "ALL_PROXY"]
    var rules = ProxyRules()
    rules.http = try proxy((isCGI ? ["http_proxy"] : ["http_proxy", "HTTP_PROXY"]) + everywhere, variable)
    rules.https = try proxy(["https_proxy", "HTTPS_PROXY"] + everywhere, variable)
    let list = ["no_proxy", "NO_PROXY"].lazy.compactMap(variable).first { !$0.isEmpty }
    rules.exceptions = ProxyExceptions(list.map { [$0] } ?? [])
    return rules
  }

  private static func proxy(_ names: [String], _ variable: (String) -> String?) throws(LupineError) -> Proxy? {
    for name in names {
      guard let text = variable(name), !text.isEmpty else { continue }
      do throws(LupineError) {
        return try Proxy(text)
      } catch {
        throw LupineError(error.kind, "\(name): \(error.message)")
      }
    }
    return nil
  }
}

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
