import HTTPTypes
import LupineCore

/// The proxies of a session by URL scheme, and their exceptions.
struct ProxyRules: Sendable, Hashable {
  var http: Proxy?
  var https: Proxy?
  var exceptions = ProxyExceptions([])

  /// Whether no request goes through a proxy.
  var isEmpty: Bool { http == nil && https == nil }

  /// Every proxy that a request may go through.
  var all: [Proxy] { [http, https].compactMap(\.self) }

  func proxy(for url: HTTPURL) -> Proxy? {
    guard let proxy = url.scheme == .http ? http : https, !exceptions.contains(url) else { return nil }
    return proxy
  }
}

extension ProxyRules {
  /// The proxies in `http_proxy`, `https_proxy` and `all_proxy`, and the exceptions in `no_proxy`.
  ///
  /// The names in upper case are read as well. Under CGI, `HTTP_PROXY` is ignored, because it contains the client's
  /// `Proxy` field.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` if a proxy's URL is invalid; the message contains the name of the
  ///   variable.
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

/// The connection keys of a session, made once, so that exchanges with the same settings have copies of one key.
struct ConnectionKeys: Sendable {
  /// The keys of exchanges without a proxy, and through the proxy of each scheme.
  private struct Keys {
    let direct: ConnectionKey
    let http: ConnectionKey
    let https: ConnectionKey

    init(_ key: ConnectionKey, _ proxies: ProxyRules) {
      direct = key
      http = Self.key(key, through: proxies.http)
      https = Self.key(key, through: proxies.https)
    }

    private static func key(_ key: ConnectionKey, through proxy: Proxy?) -> ConnectionKey {
      guard let proxy else { return key }
      var key = key
      key.proxy = proxy
      return key
    }
  }

  private let proxies: ProxyRules
  private let plain: Keys
  /// The keys of exchanges that may send the session's connection credential.
  private let authenticated: Keys

  init(_ key: ConnectionKey, through proxies: ProxyRules, proving credential: ConnectionCredential?) {
    self.proxies = proxies
    plain = Keys(key, proxies)
    authenticated =
      credential.map { credential in
        var key = key
        key.connectionCredential = credential
        return Keys(key, proxies)
      } ?? plain
  }

  /// Returns the key of an exchange.
  ///
  /// - Parameter isAuthenticated: whether the exchange may send the session's connection credential.
  func key(for url: HTTPURL, isAuthenticated: Bool) -> ConnectionKey {
    let keys = isAuthenticated ? authenticated : plain
    guard !proxies.isEmpty, proxies.proxy(for: url) != nil else { return keys.direct }
    return url.scheme == .http ? keys.http : keys.https
  }
}

/// The route of a request through an HTTP proxy.
struct ProxyPassage: Sendable {
  let proxy: Proxy
  /// Whether the proxy reads the request; otherwise it opens a tunnel (RFC 9110 section 9.3.6).
  let isForwarded: Bool

  /// Creates the route to a URL; `nil` if no proxy reads any part of a request.
  init?(_ proxy: Proxy?, to url: HTTPURL) {
    guard let proxy, proxy.kind != .socks5 else { return nil }
    self.proxy = proxy
    isForwarded = url.scheme == .http
  }

  /// The proxy as the recipient of a credential.
  var recipient: AuthenticationContext.Recipient {
    .proxy(HTTPURL.Origin(scheme: proxy.kind == .https ? .https : .http, host: proxy.host, port: proxy.port))
  }

  /// The request as the proxy receives it.
  func request(for request: OutgoingRequest) -> OutgoingRequest {
    isForwarded ? request : OutgoingRequest(url: request.url, method: .connect)
  }
}
