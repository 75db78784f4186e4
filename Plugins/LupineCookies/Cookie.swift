public import FoundationEssentials
public import LupineCore

/// A cookie as a jar keeps it (RFC 6265).
///
/// Its description hides the value.
public struct Cookie: Sendable, Hashable, Codable, HidesSecrets {
  /// The name; empty for a cookie that has none.
  public let name: String
  /// The value, as the server wrote it; nothing in it is decoded.
  public let value: String
  /// The host it belongs to, in lower case, or the domain whose hosts share it.
  public let domain: String
  /// Whether it goes to exactly that host, and not to those below it.
  public let isHostOnly: Bool
  /// The path below which it goes along.
  public let path: String
  /// When it ends; `nil` for one that ends with the session.
  public let expires: Date?
  /// Whether it goes over https alone.
  public let isSecure: Bool
  /// Whether scripts of a page are not to see it; kept, without effect here.
  public let isHTTPOnly: Bool
  /// What it says of requests across sites; kept, without effect on what is sent, since a program has no site of its own.
  ///
  /// A cookie with `none` that is not `isSecure` is not kept at all.
  public let sameSite: SameSite?
  /// When it was first set.
  public internal(set) var creation: Date

  /// The values of the attribute `SameSite`.
  public enum SameSite: String, Sendable, Hashable, Codable {
    /// Only with requests from the same site.
    case strict
    /// Also when a person follows a link.
    case lax
    /// With every request.
    case none
  }

  /// The name and the place alone.
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
  /// Whether it ends with the session.
  public var isSessionCookie: Bool { expires == nil }

  func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether it goes along with a request to this URL (RFC 6265bis section 5.8.3).
  func goes(to url: HTTPURL, host: String) -> Bool {
    let isInDomain = isHostOnly ? host == domain : CookieDomain.matches(host: host, url.hostKind, domain: domain)
    return isInDomain && (!isSecure || url.scheme == .https) && CookiePath.matches(url.path, path)
  }
}
