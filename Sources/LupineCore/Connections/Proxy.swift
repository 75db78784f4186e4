import LupineSupport

/// A server that forwards a session's connections or requests.
///
/// Its description omits the credential.
public struct Proxy: Sendable, Hashable {
  /// The protocol to a proxy.
  public enum Kind: String, Sendable, Hashable {
    /// HTTP: requests to `http` URLs are forwarded, for `https` URLs the proxy opens a tunnel (RFC 9110 section 9.3.6).
    case http
    /// The same as `http`, over TLS.
    case https
    /// SOCKS 5 (RFC 1928).
    case socks5
  }

  /// The protocol to the proxy.
  public let kind: Kind
  /// The name or address, in the form of `HTTPURL.host`.
  public let host: String
  /// The port.
  public let port: Int
  /// The session's credential for this proxy.
  ///
  /// It is sent to the proxy only. Over HTTP it answers a challenge with the strongest of the session's schemes that
  /// the proxy offers. Over SOCKS it is sent as username and password (RFC 1929). If Basic is the session's only
  /// scheme, it is sent before a challenge.
  public let credential: Credential?
  /// The credential that authenticates connections to this proxy with NTLM or Negotiate, instead of `credential`.
  public let connectionCredential: ConnectionCredential?
  /// Whether the session resolves the names of servers and sends addresses to the proxy.
  ///
  /// Only SOCKS supports it. Each of a server's addresses is tried in turn, as without a proxy.
  public let resolvesNamesHere: Bool

  init(
    kind: Kind, host: String, port: Int, credential: Credential?, connectionCredential: ConnectionCredential? = nil,
    resolvesNamesHere: Bool = false
  ) {
    self.kind = kind
    self.host = host
    self.port = port
    self.credential = credential
    self.connectionCredential = connectionCredential
    self.resolvesNamesHere = resolvesNamesHere
  }

  /// Returns the proxy with this credential instead of the one in its URL.
  public func credential(username: String, password: String) -> Proxy {
    Proxy(
      kind: kind, host: host, port: port, credential: Credential(username: username, password: password),
      resolvesNamesHere: resolvesNamesHere)
  }

  /// Returns the proxy with this connection credential instead of the credential in its URL.
  ///
  /// Only an HTTP proxy uses it, and only some transports, such as libcurl's, support it: `build()` throws otherwise.
  public func connectionCredential(_ credential: ConnectionCredential) -> Proxy {
    Proxy(
      kind: kind, host: host, port: port, credential: nil, connectionCredential: credential,
      resolvesNamesHere: resolvesNamesHere)
  }

  private var authority: String { host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The proxy's URL without its credential.
  ///
  /// With `socks5` the session resolves names, with `socks5h` the proxy does.
  public var address: String {
    kind == .socks5 && !resolvesNamesHere ? "socks5h://\(authority)" : "\(kind.rawValue)://\(authority)"
  }
}

extension Proxy: HidesSecrets {
  /// The URL without the credential.
  public var description: String { address }
}

extension Proxy {
  /// Parses the URL of a proxy, such as `http://user:password@proxy.example.com:3128`.
  ///
  /// The scheme is `http`, `https`, `socks5` (the session resolves names) or `socks5h` (the proxy does). `socks`, which
  /// desktops write into `all_proxy`, is the same as `socks5h`. Username and password are optional. The default scheme is
  /// `http`; the default port is 80, 443 or, for SOCKS, 1080.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` that quotes no part of the text.
  public init(_ text: String) throws(LupineError) {
    let (scheme, rest) = Self.split(text)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard rest.dropFirst(authority.count).allSatisfy({ $0 == "/" }), rest.count - authority.count <= 1 else {
      throw Self.invalid("it has a path, a query or a fragment")
    }
    let at = authority.lastIndex(of: "@")
    let place = at.map { authority[authority.index(after: $0)...] } ?? authority
    let url: HTTPURL
    do throws(LupineError) {
      url = try HTTPURL("http://\(place)/")
    } catch {
      throw Self.invalid("its host or port is invalid")
    }
    if url.host.utf8.contains(.percent) { throw Self.invalid("the address of a proxy cannot have a zone") }
    let (kind, defaultPort, isHere) = try Self.kind(scheme)
    // `HTTPURL` drops the port 80, which is the default of `http` proxies only.
    let port = url.port ?? (place.hasSuffix(":80") ? 80 : defaultPort)
    let credential = try at.map { (at) throws(LupineError) in try Self.credential(authority[..<at]) }
    self.init(kind: kind, host: url.host, port: port, credential: credential, resolvesNamesHere: isHere)
    if let issue = issues.first { throw Self.invalid(issue) }
  }

  private static func split(_ text: String) -> (scheme: String, rest: Substring) {
    guard let range = text.firstRange(of: "://") else { return ("http", text[...]) }
    return (text[..<range.lowerBound].lowercased(), text[range.upperBound...])
  }

  private static func kind(_ scheme: String) throws(LupineError) -> (Kind, port: Int, resolvesNamesHere: Bool) {
    switch scheme {
    case "http": (.http, 80, false)
    case "https": (.https, 443, false)
    case "socks5": (.socks5, 1080, true)
    case "socks5h", "socks": (.socks5, 1080, false)
    default: throw invalid("its scheme is not http, https, socks5, socks5h or socks")
    }
  }

  private static func credential(_ text: Substring) throws(LupineError) -> Credential {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let username = PercentCoding.text(parts[0]),
      let password = PercentCoding.text(parts.count > 1 ? parts[1] : "")
    else {
      throw invalid("its name or password is not percent-encoded")
    }
    return Credential(username: username, password: password)
  }

  private static func invalid(_ reason: String) -> LupineError {
    LupineError(
      .invalidURL, "The proxy's URL cannot be used: \(reason). Write it as http://user:password@proxy.example.com:3128."
    )
  }

  /// The reasons why the proxy cannot be used: its credential does not suit its protocol.
  ///
  /// `Session.Builder.build()` throws an error with them.
  public var issues: [String] {
    if kind == .socks5, connectionCredential != nil { return ["SOCKS proxies do not support NTLM or Negotiate"] }
    guard let credential else { return connectionCredential?.issues ?? [] }
    guard kind == .socks5 else { return credential.issueWithBasic.map { [$0] } ?? [] }
    let lengths = [credential.username.utf8.count, credential.password.utf8.count]
    guard lengths.allSatisfy({ (1...255).contains($0) }), !credential.hasControlByte else {
      return ["over SOCKS, name and password must have 1 to 255 bytes each and no control byte (RFC 1929)"]
    }
    return []
  }
}
