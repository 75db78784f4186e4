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
