public import LupineCore
public import LupineFoundation
import LupineSupport
import Synchronization

/// The limits of a jar; a cookie over a limit is dropped without an error, as in RFC 6265bis.
public struct CookieLimits: Sendable, Hashable {
  /// The maximum size of a cookie's name and value in bytes; a larger cookie is not stored.
  ///
  /// Default: 4 KiB.
  public var cookieBytes = 4_096
  /// The maximum number of cookies of one domain.
  ///
  /// Over the limit, insecure cookies are removed before secure ones, the least recently used first. Default: 50.
  public var perDomain = 50
  /// The maximum number of cookies in total.
  ///
  /// Over the limit, the domain with the least recently used cookie loses one. Default: 3,000.
  public var total = 3_000
  /// The maximum size of the `Cookie` field's value in bytes, which most servers limit.
  ///
  /// Cookies with longer paths take precedence. Default: 8,190.
  public var fieldBytes = 8_190
  /// The maximum number of cookies in one field.
  ///
  /// Default: 150.
  public var perField = 150

  /// Creates the default limits.
  public init() {}
}

/// Stores cookies as browsers do (RFC 6265bis), within `CookieLimits`: 4 KiB per cookie, 50 per domain, 3,000 in total.
///
/// Several sessions may share a jar. The host of the URL alone selects the cookies. A cookie is never shared across a
/// public suffix such as `co.uk`. A `Secure` cookie is never sent or replaced over plain http. No cookie is stored for
/// longer than 400 days. A cookie that breaks a rule is ignored, as the standard requires.
public final class CookieJar: CookieStore {
  /// The limits of the jar.
  public let limits: CookieLimits
  private let table: Mutex<CookieTable>

  /// Creates an empty jar.
  public init(limits: CookieLimits = CookieLimits()) {
    self.limits = limits
    table = Mutex(CookieTable(limits))
  }

  /// All cookies, the oldest first, including expired ones that have not been removed yet.
  public var cookies: [Cookie] { table.withLock { $0.all } }

  /// Returns the cookies for a request to this URL, in the order of the `Cookie` field.
  public func cookies(for url: HTTPURL, now: Date) -> [CookiePair] {
    let found = table.withLock { $0.isEmpty ? [] : $0.cookies(for: url, now: now) }
    return found.map { CookiePair(name: $0.name, value: $0.value) }
  }

  /// Stores the cookies that a response from this URL sets.
  public func store(_ fields: [String], from url: HTTPURL, now: Date) {
    let rules = CookieRules(url: url, now: now, limits: limits)
    let cookies = fields.compactMap(rules.cookie)
    guard !cookies.isEmpty else { return }
    table.withLock { table in
      for cookie in cookies { table.insert(cookie, isSecure: url.scheme == .https, now: now) }
    }
  }

  /// Stores a cookie as if a server at this URL had sent it, such as `theme=dark; Path=/`.
  ///
  /// - Throws: `LupineError` of kind `invalidURL`, or `invalidRequest` if the cookie breaks a rule.
  public func set(_ cookie: String, for url: String, now: Date = Date()) throws(LupineError) {
    let url = try HTTPURL(url)
    guard let cookie = CookieRules(url: url, now: now, limits: limits).cookie(cookie) else {
      throw LupineError(
        .invalidRequest,
        "\(url.origin) cannot set this cookie: it is malformed or too long, or one of its attributes forbids it.")
    }
    table.withLock { $0.insert(cookie, isSecure: url.scheme == .https, now: now) }
  }

  /// Removes a cookie with this name, domain and path.
  public func remove(_ cookie: Cookie) {
    table.withLock { table in
      table.remove {
        $0.name == cookie.name && $0.domain == cookie.domain && $0.isHostOnly == cookie.isHostOnly
          && $0.path == cookie.path
      }
    }
  }

  /// Removes every cookie.
  public func removeAll() { table.withLock { $0 = CookieTable(limits) } }

  /// Adds cookies that a jar has stored before.
  func restore(_ cookies: [Cookie], now: Date) {
    table.withLock { table in
      for cookie in cookies { table.insert(cookie, isSecure: true, now: now) }
    }
  }
}

extension CookieJar {
  /// Writes the cookies to a file that only its owner can read, and replaces an existing file atomically.
  ///
  /// - Parameters:
  ///   - path: the file's path; its folder must exist.
  ///   - includesSessionCookies: whether to write session cookies, too. Default: no.
  /// - Throws: `LupineError` of kind `fileFailed`.
  public func save(to path: String, includesSessionCookies: Bool = false) throws(LupineError) {
    let kept = cookies.filter { includesSessionCookies || !$0.isSessionCookie }
    let data: Data
    do {
      data = try JSONEncoder().encode(CookieFile(cookies: kept))
    } catch {
      throw LupineError(.fileFailed, "The cookies cannot be written as JSON.", underlying: error)
    }
    // The data is written to a temporary file in the same folder, so that the destination is always complete.
    let draft = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let file = try Self.create(draft)
    do throws(NewFile.Failure) {
      if let code = data.withUnsafeBytes({ $0.write(to: file.descriptor) }) { throw NewFile.Failure(code: code) }
      try file.synchronize()
      try file.move(to: path)
    } catch {
      file.remove()
      throw Self.failure("cannot be written", path, error)
    }
  }

  /// Adds the cookies of a file that `save` wrote, except expired ones.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the file cannot be read or has another format.
  public func load(from path: String, now: Date = Date()) throws(LupineError) {
    let file: CookieFile
    let source = try OpenFile(reading: path, orFailAs: .fileFailed)
    let data = try source.data(count: try source.size())
    do {
      file = try JSONDecoder().decode(CookieFile.self, from: data)
    } catch {
      throw LupineError(.fileFailed, "The cookies in \(path) cannot be read.", underlying: error)
    }
    guard file.version == CookieFile.currentVersion else {
      let isLater = file.version > CookieFile.currentVersion
      throw LupineError(
        .fileFailed,
        "The cookies in \(path) are of version \(file.version), which "
          + (isLater ? "a later release of Lupine wrote." : "no release of Lupine writes."))
    }
    restore(file.cookies.filter { $0.isValid(limits) && !$0.isExpired(at: now) }, now: now)
  }

  private static func create(_ path: String) throws(LupineError) -> NewFile {
    do throws(NewFile.Failure) { return try NewFile(path) } catch {
      throw failure("cannot be created", path, error)
    }
  }

  private static func failure(_ what: String, _ path: String, _ error: NewFile.Failure) -> LupineError {
    LupineError.file(path, code: error.code, message: "The file of cookies \(path) \(what): \(error).")
  }
}

/// The content of a cookie file.
private struct CookieFile: Codable {
  static let currentVersion = 1

  let version: Int
  /// The cookies; empty if the version is unknown.
  let cookies: [Cookie]

  init(cookies: [Cookie]) {
    version = Self.currentVersion
    self.cookies = cookies
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    cookies = version == Self.currentVersion ? try container.decode([Cookie].self, forKey: .cookies) : []
  }

  private enum CodingKeys: CodingKey {
    case version, cookies
  }
}

extension Cookie {
  /// Whether a server could have set the cookie; the file may have been edited.
  fileprivate func isValid(_ limits: CookieLimits) -> Bool {
    let isClean = (name + value + path).utf8.allSatisfy { $0.isFieldByte && $0 != 0x3B }
    let isShared = isHostOnly || !PublicSuffixes.contain(domain)
    return isClean && !name.contains("=") && isShared && name.utf8.count + value.utf8.count <= limits.cookieBytes
  }
}
