public import FoundationEssentials
public import LupineCore
import Synchronization

/// Keeps cookies as browsers do (RFC 6265bis), within `CookieLimits`: 4 KiB a cookie, 50 a domain, 3,000 in all.
///
/// It may serve several sessions at once. A cookie goes by the host of the URL alone; none is shared across a public
/// suffix such as `co.uk`, none that is `Secure` goes over plain http or is replaced from there, and none outlives 400
/// days. What breaks a rule is dropped without a word, as the standard has it.
public final class CookieJar: CookieStore {
  /// The most that it keeps and sends.
  public let limits: CookieLimits
  private let shelf: Mutex<CookieShelf>

  /// An empty jar.
  public init(limits: CookieLimits = CookieLimits()) {
    self.limits = limits
    shelf = Mutex(CookieShelf(limits))
  }

  /// All cookies, the oldest first; those that have ended meanwhile may be among them.
  public var cookies: [Cookie] { shelf.withLock { $0.all } }

  /// The cookies that go along with a request to this URL, as they stand in the field.
  public func cookies(for url: HTTPURL, now: Date) -> [CookiePair] {
    shelf.withLock { $0.cookies(for: url, now: now) }.map { CookiePair(name: $0.name, value: $0.value) }
  }

  /// Takes what a response from this URL sets.
  public func store(_ fields: [String], from url: HTTPURL, now: Date) {
    let rules = CookieRules(url: url, now: now, limits: limits)
    let cookies = fields.compactMap(rules.cookie)
    guard !cookies.isEmpty else { return }
    shelf.withLock { shelf in
      for cookie in cookies { shelf.insert(cookie, isSecure: url.scheme == .https, now: now) }
    }
  }

  /// Sets a cookie as if a server at this URL had sent it, such as `theme=dark; Path=/`.
  ///
  /// - Throws: `LupineError` of kind `invalidURL`, or `invalidRequest` where the cookie breaks a rule.
  public func set(_ cookie: String, for url: String, now: Date = Date()) throws(LupineError) {
    let url = try HTTPURL(url)
    guard let cookie = CookieRules(url: url, now: now, limits: limits).cookie(cookie) else {
      throw LupineError(
        .invalidRequest, "\(url.origin) cannot set this cookie: it is malformed, or its domain or prefix forbids it.")
    }
    shelf.withLock { $0.insert(cookie, isSecure: url.scheme == .https, now: now) }
  }

  /// Removes a cookie.
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

  /// Puts cookies into the jar that it, or another one, has kept before.
  func restore(_ cookies: [Cookie], now: Date) {
    shelf.withLock { shelf in
      for cookie in cookies { shelf.insert(cookie, isSecure: true, now: now) }
    }
  }
}
