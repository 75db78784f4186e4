import LupineCore
import LupineFoundation

/// The cookies of a jar by domain, and the removal of those over the limits.
struct CookieTable {
  private struct Entry {
    var cookie: Cookie
    /// The order of creation, also among cookies of the same time.
    let number: UInt64
    var lastUse: UInt64
  }

  private let limits: CookieLimits
  private var domains: [String: [Entry]] = [:]
  private var count = 0
  private var events: UInt64 = 0

  init(_ limits: CookieLimits) { self.limits = limits }

  /// Whether the jar has no cookie.
  var isEmpty: Bool { domains.isEmpty }

  /// All cookies, the oldest first.
  var all: [Cookie] { domains.values.joined().sorted { $0.number < $1.number }.map(\.cookie) }

  /// Stores a cookie in place of one with the same name, domain and path; an expired cookie removes that one.
  ///
  /// - Parameter isSecure: whether the cookie came over https; otherwise it replaces no secure cookie.
  mutating func insert(_ cookie: Cookie, isSecure: Bool, now: Date) {
    guard isSecure || !conflictsWithSecureCookie(cookie) else { return }
    events += 1
    var entry = Entry(cookie: cookie, number: events, lastUse: events)
    var entries = domains[cookie.domain] ?? []
    if let index = entries.firstIndex(where: { $0.cookie.hasSameKey(as: cookie) }) {
      entry = Entry(cookie: cookie, number: entries[index].number, lastUse: events)
      entry.cookie.creation = entries[index].cookie.creation
      entries.remove(at: index)
    }
    if !cookie.isExpired(at: now) { entries.append(entry) }
    replace(cookie.domain, entries)
    enforceLimits(in: cookie.domain, now)
  }

  /// Returns the cookies for a URL: longer paths first, then older cookies.
  mutating func cookies(for url: HTTPURL, now: Date) -> [Cookie] {
    let host = url.host
    events += 1
    var found: [Entry] = []
    for key in CookieDomain.keys(of: host, url.hostKind) {
      guard var entries = domains[key] else { continue }
      entries.removeAll { $0.cookie.isExpired(at: now) }
      for index in entries.indices where entries[index].cookie.isSent(to: url, host: host) {
        entries[index].lastUse = events
        found.append(entries[index])
      }
      replace(key, entries)
    }
    found.sort {
      let (left, right) = ($0.cookie.path.utf8.count, $1.cookie.path.utf8.count)
      return left == right ? $0.number < $1.number : left > right
    }
    return withinFieldLimits(found.map(\.cookie))
  }

  mutating func remove(where shouldRemove: (Cookie) -> Bool) {
    for (domain, entries) in domains { replace(domain, entries.filter { !shouldRemove($0.cookie) }) }
  }

  private mutating func replace(_ domain: String, _ entries: [Entry]) {
    count += entries.count - (domains[domain]?.count ?? 0)
    domains[domain] = entries.isEmpty ? nil : entries
  }

  /// Whether a secure cookie with the same name would be sent to the same place (RFC 6265bis section 5.7, step 16).
  private func conflictsWithSecureCookie(_ cookie: Cookie) -> Bool {
    domains.contains { domain, entries in
      (CookieDomain.matches(host: domain, .name, domain: cookie.domain)
        || CookieDomain.matches(host: cookie.domain, .name, domain: domain))
        && entries.contains {
          $0.cookie.isSecure && $0.cookie.name == cookie.name && CookiePath.matches(cookie.path, $0.cookie.path)
        }
    }
  }

  /// Removes cookies over the limits, from the domain first and then from all domains.
  ///
  /// Expired cookies are removed first, then insecure ones, then secure ones, the least recently used first.
  private mutating func enforceLimits(in domain: String, _ now: Date) {
    while let entries = domains[domain], entries.count > max(1, limits.perDomain) {
      guard let evictionCandidate = Self.evictionCandidate(entries, now) else { return }
      replace(domain, entries.filter { $0.number != evictionCandidate })
    }
    while count > max(1, limits.total) {
      let oldest = domains.min { left, right in
        (left.value.map(\.lastUse).min() ?? .max) < (right.value.map(\.lastUse).min() ?? .max)
      }
      guard let oldest, let evictionCandidate = Self.evictionCandidate(oldest.value, now) else { return }
      replace(oldest.key, oldest.value.filter { $0.number != evictionCandidate })
    }
  }

  private static func evictionCandidate(_ entries: [Entry], _ now: Date) -> UInt64? {
    let rank = { (entry: Entry) in entry.cookie.isExpired(at: now) ? 0 : entry.cookie.isSecure ? 2 : 1 }
    return entries.min { left, right in
      rank(left) == rank(right) ? left.lastUse < right.lastUse : rank(left) < rank(right)
    }?.number
  }

  private func withinFieldLimits(_ cookies: [Cookie]) -> [Cookie] {
    var size = 0
    return cookies.prefix(max(0, limits.perField)).filter { cookie in
      let length = cookie.name.utf8.count + cookie.value.utf8.count + 3
      guard size + length <= limits.fieldBytes else { return false }
      size += length
      return true
    }
  }
}

extension Cookie {
  /// Whether this cookie replaces the other, which has the same domain.
  fileprivate func hasSameKey(as other: Cookie) -> Bool {
    name == other.name && isHostOnly == other.isHostOnly && path == other.path
  }
}
