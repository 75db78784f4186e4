public import FoundationEssentials
public import LupineCore
import Synchronization

/// Stores cookies as browsers do (RFC 6265bis), within `CookieLimits`: 4 KiB per cookie, 50 per domain, 3,000 in total.
///
/// Several sessions may share a jar. The host of the URL alone selects the cookies. A cookie is never shared across a
/// public suffix such as `co.uk`. A `Secure` cookie is never sent or replaced over plain http. No cookie is stored for
/// longer than 400 days. A cookie that breaks a rule is ignored, as the standard requires.
public final class CookieJar: CookieStore {
  /// The limits of the jar.
  public let limits: CookieLimits
  private let shelf: Mutex<CookieShelf>

  /// Creates an empty jar.
  public init(limits: CookieLimits = CookieLimits()) {
    self.limits = limits
    shelf = Mutex(CookieShelf(limits))
  }

  /// All cookies, the oldest first, including expired ones that have not been removed yet.
  public var cookies: [Cookie] { shelf.withLock { $0.all } }

  /// Returns the cookies for a request to this URL, in the order of the `Cookie` field.
  public func cookies(for url: HTTPURL, now: Date) -> [CookiePair] {
    shelf.withLock { $0.cookies(for: url, now: now) }.map { CookiePair(name: $0.name, value: $0.value) }
  }

  /// Stores the cookies that a response from this URL sets.
  public func store(_ fields: [String], from url: HTTPURL, now: Date) {
    let rules = CookieRules(url: url, now: now, limits: limits)
    let cookies = fields.compactMap(rules.cookie)
    guard !cookies.isEmpty else { return }
    shelf.withLock { shelf in
      for cookie in cookies { shelf.insert(cookie, isSecure: url.scheme == .https, now: now) }
    }
  }

  /// Stores a cookie as if a server at this URL had sent it, such as `theme=dark; Path=/`.
  ///
  /// - Throws: `LupineError` of kind `invalidURL`, or `invalidRequest` if the cookie breaks a rule.
  public func set(_ cookie: String, for url: String, now: Date = Date()) throws(LupineError) {
    let url = try HTTPURL(url)
    guard let cookie = CookieRules(url: url, now: now, limits: limits).cookie(cookie) else {
      throw LupineError(
        .invalidRequest, "\(url.origin) cannot set this cookie: it is malformed, or its domain or prefix forbids it.")
    }
    shelf.withLock { $0.insert(cookie, isSecure: url.scheme == .https, now: now) }
  }

  /// Removes a cookie with this name, domain and path.
  public func remove(_ cookie: Cookie) {
    shelf.withLock { shelf in
      shelf.remove {
        $0.name == cookie.name && $0.domain == cookie.domain && $0.isHostOnly == cookie.isHostOnly
          && $0.path == cookie.path
      }
    }
  }

  /// Removes every cookie.
  public func removeAll() { shelf.withLock { $0 = CookieShelf(limits) } }

  /// Adds cookies that a jar has stored before.
  func restore(_ cookies: [Cookie], now: Date) {
    shelf.withLock { shelf in
      for cookie in cookies { shelf.insert(cookie, isSecure: true, now: now) }
    }
  }
}
