import HTTPTypes
import LupineFoundation
import LupineSupport

/// How old a stored response is, and how long it is fresh (RFC 9111 section 4.2), in seconds.
struct Freshness: Sendable, Equatable {
  /// The age; infinite if it cannot be known, because the date has gone back since the response arrived.
  let age: Double
  /// The time after which the response is stale, counted like the age.
  let lifetime: Double

  /// Whether the response is fresh.
  var isFresh: Bool { lifetime > age }
  /// The time until the response is stale; negative if it is.
  var rest: Double { lifetime - age }

  /// The whole seconds until the response is stale; `nil` if its age cannot be known.
  var timeToLive: Int? { age.isFinite ? Int(saturating: rest.rounded(.down)) : nil }

  /// Whether the response is within a number of seconds after its freshness.
  func isStale(byAtMost seconds: Double?) -> Bool { seconds.map { age.isFinite && age - lifetime < $0 } ?? false }

  init(age: Double, lifetime: Double) {
    self.age = age
    self.lifetime = lifetime
  }

  /// - Parameters:
  ///   - lifetime: a lifetime that the caller has set; `nil` means that of the response.
  init(
    of head: HTTPResponse, _ metadata: EntryMetadata, control: ResponseControl, lifetime: Double? = nil, now: Date
  ) {
    age = Self.age(Self.initialAge(of: head, metadata), since: metadata.responseTime, now: now)
    self.lifetime = lifetime ?? control.lifetime(of: head, metadata.responseTime) ?? 0
  }

  /// Computes the age and the lifetime of a parsed entry.
  ///
  /// - Parameters:
  ///   - lifetime: a lifetime that the caller has set; `nil` means that of the response.
  init(of entry: ParsedEntry, lifetime: Double?, now: Date) {
    age = Self.age(entry.initialAge, since: entry.metadata.responseTime, now: now)
    self.lifetime = lifetime ?? entry.lifetime
  }

  /// The current age (RFC 9111 section 4.2.3).
  private static func age(_ initial: Double, since arrival: Date, now: Date) -> Double {
    // Metadata round the arrival to a millisecond, so that it can seem to be after a time that follows at once.
    let resident = now.timeIntervalSince(arrival)
    return resident > -0.001 ? initial + max(0, resident) : .infinity
  }

  /// The age of a response when it arrived: its corrected initial age (RFC 9111 section 4.2.3).
  static func initialAge(of head: HTTPResponse, _ metadata: EntryMetadata) -> Double {
    let date = FieldDate.date(.date, in: head.headerFields, now: metadata.responseTime) ?? metadata.responseTime
    let apparent = max(0, metadata.responseTime.timeIntervalSince(date))
    let delay = max(0, metadata.responseTime.timeIntervalSince(metadata.requestTime))
    return max(apparent, statedAge(head.headerFields) + delay)
  }

  /// The first member of `Age`; an invalid one is ignored (RFC 9111 section 5.1).
  private static func statedAge(_ fields: HTTPFields) -> Double {
    ListField.members(fields[values: .age]).first.flatMap { DeltaSeconds.parse($0) } ?? 0
  }
}

/// The rules of a response for its storage and reuse, for one kind of cache.
struct ResponseControl: Sendable {
  /// The directives that apply: those of `CDN-Cache-Control` in a shared cache (RFC 9213), else of `Cache-Control`.
  let directives: CacheDirectives
  /// Whether the cache is shared by several users.
  let isShared: Bool
  /// Whether a targeted field replaces `Cache-Control` and `Expires`.
  private let isTargeted: Bool
  /// Whether each use needs a validation first.
  let requiresValidation: Bool
  /// Whether the response must not be used when it is stale (RFC 9111 section 4.2.4).
  let forbidsStaleUse: Bool

  init(_ head: HTTPResponse, isShared: Bool) {
    self.isShared = isShared
    let targeted = isShared ? CacheDirectives(targeted: head.headerFields, .cdnCacheControl) : CacheDirectives()
    isTargeted = !targeted.isEmpty
    directives = isTargeted ? targeted : CacheDirectives(head.headerFields)
    requiresValidation = directives.concernsAll("no-cache") || directives.isMalformed
    forbidsStaleUse =
      requiresValidation || directives.contains("must-revalidate")
      || isShared && (directives.contains("proxy-revalidate") || directives.contains("s-maxage"))
  }

  /// Whether any user may have the response.
  var isForEveryone: Bool {
    directives.contains("public") || isShared && directives.contains("s-maxage")
  }

  /// The freshness lifetime (RFC 9111 section 4.2.1); `nil` if nothing determines one.
  func lifetime(of head: HTTPResponse, _ responseTime: Date) -> Double? {
    explicitLifetime(of: head, responseTime) ?? heuristicLifetime(of: head, responseTime)
  }

  /// The lifetime that the response states.
  func explicitLifetime(of head: HTTPResponse, _ responseTime: Date) -> Double? {
    if isShared, let seconds = directives.seconds("s-maxage") { return seconds }
    if let seconds = directives.seconds("max-age") { return seconds }
    guard !isTargeted, head.headerFields.contains(.expires) else { return nil }
    guard let expires = FieldDate.date(.expires, in: head.headerFields, now: responseTime) else { return 0 }
    let date = FieldDate.date(.date, in: head.headerFields, now: responseTime) ?? responseTime
    return max(0, expires.timeIntervalSince(date))
  }

  /// The longest lifetime that a heuristic gives: a week.
  private static let longestHeuristic: Double = 7 * 86_400

  /// A tenth of the time since `Last-Modified` (RFC 9111 section 4.2.2).
  private func heuristicLifetime(of head: HTTPResponse, _ responseTime: Date) -> Double? {
    guard Self.heuristicStatuses.contains(head.status.code) || directives.contains("public"),
      let modified = FieldDate.date(.lastModified, in: head.headerFields, now: responseTime)
    else { return nil }
    let date = FieldDate.date(.date, in: head.headerFields, now: responseTime) ?? responseTime
    return min(max(0, date.timeIntervalSince(modified) / 10), Self.longestHeuristic)
  }

  /// The statuses that are heuristically cacheable (RFC 9110 section 15.1), without the partial 206.
  static let heuristicStatuses = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
}

extension HTTPField.Name {
  /// `CDN-Cache-Control` (RFC 9213).
  static let cdnCacheControl = HTTPField.Name(constant: "CDN-Cache-Control")
}
