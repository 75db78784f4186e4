public import LupineCore
public import LupineFoundation

/// A stored cookie (RFC 6265).
///
/// The description omits the value.
public struct Cookie: Sendable, Hashable, Codable, HidesSecrets {
  /// The name; empty for a cookie without a name.
  public let name: String
  /// The value as the server sent it, without decoding.
  public let value: String
  /// The cookie's host in lower case, or the domain whose hosts share it.
  public let domain: String
  /// Whether the cookie is sent only to exactly that host, and not to its subdomains.
  public let isHostOnly: Bool
  /// The path prefix of the requests that carry the cookie.
  public let path: String
  /// The expiry time; `nil` for a session cookie.
  public let expires: Date?
  /// Whether the cookie is sent only over https.
  public let isSecure: Bool
  /// Whether the server hides the cookie from scripts; stored, without effect here.
  public let isHTTPOnly: Bool
  /// The cookie's `SameSite` attribute; stored, without effect on the requests.
  ///
  /// A program has no site of its own. A cookie with `none` that is not `isSecure` is not stored.
  public let sameSite: SameSite?
  /// The time at which the cookie was first set.
  public internal(set) var creation: Date

  /// The values of the attribute `SameSite`.
  public enum SameSite: String, Sendable, Hashable, Codable {
    /// Sent only with requests from the same site.
    case strict
    /// Sent also if a user follows a link.
    case lax
    /// Sent with every request.
    case none
  }

  /// The name, the domain and the path only.
  public var description: String { "Cookie(\(name) for \(isHostOnly ? "" : "*.")\(domain)\(path))" }

  init(
    name: String, value: String, domain: String, isHostOnly: Bool, path: String, expires: Date?, isSecure: Bool,
    isHTTPOnly: Bool, sameSite: SameSite?, creation: Date
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.isHostOnly = isHostOnly
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
    self.creation = creation
  }
}

extension Cookie {
  /// Whether the cookie ends with the session.
  public var isSessionCookie: Bool { expires == nil }

  func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether a request to this URL carries the cookie (RFC 6265bis section 5.8.3).
  func isSent(to url: HTTPURL, host: String) -> Bool {
    let isInDomain = isHostOnly ? host == domain : CookieDomain.matches(host: host, url.hostKind, domain: domain)
    return isInDomain && (!isSecure || url.scheme == .https) && CookiePath.matches(url.path, path)
  }
}

/// The domain matching of cookies (RFC 6265bis section 5.1.3).
enum CookieDomain {
  /// Whether the host is the domain or a subdomain of it; an address has no subdomains.
  static func matches(host: String, _ kind: HTTPURL.HostKind, domain: String) -> Bool {
    if host == domain { return true }
    return kind == .name && host.hasSuffix(domain) && host.dropLast(domain.count).last == "."
  }

  /// Returns the host and every domain above it, which are the keys of a jar's domains.
  static func keys(of host: String, _ kind: HTTPURL.HostKind) -> [String] {
    guard kind == .name else { return [host] }
    var keys = [host]
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if !rest.isEmpty { keys.append(String(rest)) }
    }
    return keys
  }
}

/// The path matching of cookies (RFC 6265bis section 5.1.4).
enum CookiePath {
  static func matches(_ path: String, _ cookiePath: String) -> Bool {
    let (path, cookiePath) = (path.utf8, cookiePath.utf8)
    guard path.starts(with: cookiePath) else { return false }
    return path.count == cookiePath.count || cookiePath.last == 0x2F || path.dropFirst(cookiePath.count).first == 0x2F
  }

  /// Returns the default path of a cookie without a `Path` attribute.
  static func defaultPath(for path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
