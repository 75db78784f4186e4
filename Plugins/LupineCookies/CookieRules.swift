import CPSL
import LupineCore
import LupineFoundation

/// The rules for the cookies that a server at a URL may set (RFC 6265bis section 5.7).
struct CookieRules {
  /// The maximum lifetime of a cookie: 400 days.
  static let maximumLifetime: TimeInterval = 400 * 86_400

  let url: HTTPURL
  let now: Date
  var limits = CookieLimits()

  /// Returns the cookie that a field sets; `nil` if it breaks a rule.
  func cookie(_ field: String) -> Cookie? {
    guard let parsed = SetCookie(field, limit: limits.cookieBytes), let scope = scope(of: parsed) else { return nil }
    let path = parsed.path.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? CookiePath.defaultPath(for: url.path)
    let cookie = Cookie(
      name: parsed.name, value: parsed.value, domain: scope.domain, isHostOnly: scope.isHostOnly, path: path,
      expires: expiry(of: parsed), isSecure: parsed.isSecure, isHTTPOnly: parsed.isHTTPOnly, sameSite: parsed.sameSite,
      creation: now)
    guard !cookie.isSecure || url.scheme == .https else { return nil }
    guard cookie.sameSite != Cookie.SameSite.none || cookie.isSecure else { return nil }
    return Self.meetsPrefixRules(cookie, hasPath: parsed.path == "/") ? cookie : nil
  }

  private func scope(of parsed: SetCookie) -> (domain: String, isHostOnly: Bool)? {
    let host = url.host
    guard let domain = parsed.domain, !domain.isEmpty else { return (host, true) }
    guard domain.utf8.allSatisfy({ $0 < 0x80 }), !domain.hasSuffix(".") else { return nil }
    // An address or a public suffix that equals the host makes a host-only cookie.
    if domain == host, url.hostKind != .name || PublicSuffixes.contain(domain) { return (host, true) }
    guard CookieDomain.matches(host: host, url.hostKind, domain: domain), !PublicSuffixes.contain(domain) else {
      return nil
    }
    return (domain, false)
  }

  /// Returns the expiry time; `Max-Age` takes precedence over `Expires`.
  private func expiry(of parsed: SetCookie) -> Date? {
    let latest = now.addingTimeInterval(Self.maximumLifetime)
    if let seconds = parsed.maxAge {
      return seconds <= 0 ? .distantPast : min(now.addingTimeInterval(min(seconds, Self.maximumLifetime)), latest)
    }
    return parsed.expires.map { min($0, latest) }
  }

  /// Whether a cookie meets the requirements of its name's prefix.
  ///
  /// A cookie without a name must not have a value that begins with a prefix.
  private static func meetsPrefixRules(_ cookie: Cookie, hasPath: Bool) -> Bool {
    let prefixedText = (cookie.name.isEmpty ? cookie.value : cookie.name).lowercased()
    let isHost = prefixedText.hasPrefix("__host-")
    guard isHost || prefixedText.hasPrefix("__secure-") else { return true }
    guard !cookie.name.isEmpty, cookie.isSecure else { return false }
    return !isHost || cookie.isHostOnly && hasPath
  }
}

/// The Public Suffix List: the domains under which anyone can register names, from libpsl.
enum PublicSuffixes {
  /// The address of libpsl's list, the newer of the system's and the built-in one; 0 if there is none.
  ///
  /// The list is only read, which libpsl allows from any thread, and is never freed.
  private static let list = UInt(bitPattern: psl_latest(nil) ?? psl_builtin())

  /// Whether the domain is a public suffix; also true without a list, so that no cookie is shared too widely.
  ///
  /// - Parameter domain: a name in lower case; a trailing dot is ignored.
  static func contain(_ domain: String) -> Bool {
    guard let list = OpaquePointer(bitPattern: list) else { return true }
    return lupine_psl_is_public_suffix(list, domain.hasSuffix(".") ? String(domain.dropLast()) : domain) == 1
  }
}
