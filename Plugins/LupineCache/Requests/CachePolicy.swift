public import LupineCore
public import LupineSession

/// How a request uses the cache.
///
/// ```swift
/// let checked = await session.request("users").cachePolicy(.validate).serializingString().response
/// ```
///
/// Default: ``byProtocol``.
public enum CachePolicy: Sendable, Hashable, RequestOptionKey {
  /// Follows RFC 9111: a fresh response answers, a stale one is validated.
  case byProtocol
  /// Sends the request to the server, whatever is stored; the response is stored.
  ///
  /// The request says `Cache-Control: no-cache`, unless it has the field already.
  case reload
  /// Asks the server whether the stored response is current, also if it is fresh.
  ///
  /// A fresh response that is `immutable` (RFC 8246) answers without it. The request says `Cache-Control: max-age=0`,
  /// unless it has the field already.
  case validate
  /// Uses the stored response, also if it is stale, and sends the request if there is none.
  ///
  /// A response that must not be used when stale (RFC 9111 section 4.2.4) is validated.
  case preferStored
  /// Uses the stored response as `preferStored` does, and sends nothing: without one the request fails with kind
  /// `notCached`.
  case onlyStored
  /// Uses stored responses by the protocol, and stores no new one.
  case doNotStore

  /// The policy of a request without one.
  public static var defaultValue: CachePolicy { .byProtocol }
}

/// An error whose response `cache(for:including:)` stores if it is named.
public enum StorableError: Int, Sendable, Hashable, CaseIterable {
  /// 404 (Not Found).
  case notFound = 404
  /// 410 (Gone).
  case gone = 410
}

/// The lifetime of stored responses that a caller sets.
struct CacheLifetime: Sendable, RequestOptionKey {
  /// The statuses whose responses have the lifetime, besides the named errors.
  private static let statuses: Set<Int> = [200, 203, 204, 300, 301, 308]

  static var defaultValue: CacheLifetime? { nil }

  private let seconds: Double
  private let errors: Set<StorableError>

  init(_ lifetime: Duration, _ errors: Set<StorableError>) {
    seconds = max(0, lifetime / .seconds(1))
    self.errors = errors
  }

  /// The seconds for which a response with this status is fresh; `nil` if it has the lifetime that it states.
  func seconds(for status: Int) -> Double? {
    let isIncluded = Self.statuses.contains(status) || StorableError(rawValue: status).map(errors.contains) ?? false
    return isIncluded ? seconds : nil
  }
}

extension SessionRequest {
  /// Sets how this request uses the session's cache; has no effect without one.
  ///
  /// Default: ``CachePolicy/byProtocol``.
  @discardableResult
  public func cachePolicy(_ policy: CachePolicy) -> Self { option(CachePolicy.self, policy) }

  /// Sets how long a stored response is fresh for this request, in the place of what the response says.
  ///
  /// It also stores a response that states no lifetime. A response that forbids storage (`no-store`, or `private` in a
  /// shared cache) is not stored. The lifetime counts from the response's age 0, and holds for requests that set it.
  ///
  /// It applies to the statuses 200, 203, 204, 300, 301 and 308, and to the errors that are named. Other responses,
  /// such as 302, 401, 429 and 503, are stored only if the server permits it, and for the time that the server states.
  ///
  /// - Parameters:
  ///   - lifetime: the lifetime; a negative one means 0.
  ///   - errors: the errors that have the lifetime too. Default: none.
  @discardableResult
  public func cache(for lifetime: Duration, including errors: Set<StorableError> = []) -> Self {
    option(CacheLifetime.self, CacheLifetime(lifetime, errors))
  }
}

extension LupineError.Kind {
  /// The policy of the request allows only a stored response, and none can be used.
  public static let notCached = LupineError.Kind.plugin("notCached")
}
