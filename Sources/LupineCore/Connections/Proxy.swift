import LupineSupport

/// A server that makes connections, or requests, on a session's behalf.
///
/// Its description hides the credential.
public struct Proxy: Sendable, Hashable {
  /// How a proxy is spoken to.
  public enum Kind: String, Sendable, Hashable {
    /// Over HTTP: requests to `http` URLs are forwarded, for `https` a tunnel is opened (RFC 9110 section 9.3.6).
    case http
    /// As `http`, over TLS.
    case https
    /// Over SOCKS 5 (RFC 1928).
    case socks5
  }

  /// How it is spoken to.
  public let kind: Kind
  /// Its name or address, as `HTTPURL.host` has it.
  public let host: String
  /// Its port.
  public let port: Int
  /// Who the session is to this proxy.
  ///
  /// It goes to the proxy alone: over HTTP in answer to its challenges, by the strongest of the session's schemes that it
  /// offers, and over SOCKS as name and password (RFC 1929). Where Basic is the session's only scheme, it is sent unasked.
  public let credential: Credential?
  /// What proves connections to this proxy, with NTLM or Negotiate, in the place of a credential.
  public let connectionCredential: ConnectionCredential?
  /// Whether the names of servers are resolved on this side, so that the proxy is given addresses.
  ///
  /// SOCKS alone can do so. Each of a server's addresses is tried in turn, as without a proxy.
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

  /// The same proxy with a credential, in the place of one that its URL had.
  public func credential(username: String, password: String) -> Proxy {
    Proxy(
      kind: kind, host: host, port: port, credential: Credential(username: username, password: password),
      resolvesNamesHere: resolvesNamesHere)
  }

  /// The same proxy with what proves connections to it, in the place of a credential that its URL had.
  ///
  /// Only an HTTP proxy asks for it, and only a transport such as libcurl's can speak it: `build()` refuses others.
  public func connectionCredential(_ credential: ConnectionCredential) -> Proxy {
    Proxy(
      kind: kind, host: host, port: port, credential: nil, connectionCredential: credential,
      resolvesNamesHere: resolvesNamesHere)
  }

  /// The proxy's host and port, as an evaluator of its certificates knows them.
  package var url: HTTPURL? { try? HTTPURL("https://\(authority)/") }

  private var authority: String { host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The proxy's URL without its credential; `socks5` resolves names here, `socks5h` there.
  public var address: String {
    kind == .socks5 && !resolvesNamesHere ? "socks5h://\(authority)" : "\(kind.rawValue)://\(authority)"
  }
}

extension Proxy: HidesSecrets {
  /// The URL without the credential.
  public var description: String { address }
}

extension Proxy {
  /// Reads the URL of a proxy: `http`, `https`, `socks5` (names are resolved here) or `socks5h` (by the proxy), with a
  /// name and a password or without, as in `http://user:password@proxy.example.com:3128`.
  ///
  /// Without a scheme it is `http`; without a port 80, 443 or, for SOCKS, 1080.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` that quotes nothing of the text.
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
      throw Self.invalid("its host or port is none")
    }
    let (kind, defaultPort, isHere) = try Self.kind(scheme)
    // `HTTPURL` drops the port 80, which is the default of no other kind of proxy.
    let port = url.port ?? (place.hasSuffix(":80") ? 80 : defaultPort)
    let credential = try at.map { (at) throws(LupineError) in try Self.credential(authority[..<at]) }
    self.init(kind: kind, host: url.host, port: port, credential: credential, resolvesNamesHere: isHere)
    if let problem { throw Self.invalid(problem) }
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
    case "socks5h": (.socks5, 1080, false)
    default: throw invalid("its scheme is none of http, https, socks5 and socks5h")
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

  /// What makes the credential unfit for the proxy's protocol.
  package var problem: String? {
    if kind == .socks5, connectionCredential != nil { return "no SOCKS proxy speaks NTLM or Negotiate" }
    guard let credential else { return connectionCredential?.problems.first }
    guard kind == .socks5 else {
      do throws(LupineError) { _ = try BasicScheme.value(for: credential) } catch { return error.message }
      return nil
    }
    let lengths = [credential.username.utf8.count, credential.password.utf8.count]
    guard lengths.allSatisfy({ (1...255).contains($0) }), !credential.hasControlByte else {
      return "name and password have 1 to 255 bytes each over SOCKS, and no control byte (RFC 1929)"
    }
    return nil
  }
}
