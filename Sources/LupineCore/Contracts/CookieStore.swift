public import LupineFoundation

/// Stores the cookies that servers set, and selects the cookies for a request (RFC 6265).
///
/// A store uses the URL only, never a `Host` field. A session calls it for every exchange, including redirects and
/// answers to challenges, possibly for several requests at once. The calls are synchronous and must not block.
public protocol CookieStore: Sendable {
  /// Returns the name-value pairs of the `Cookie` field for this URL, in the order in which they are sent.
  func cookies(for url: HTTPURL, now: Date) -> [CookiePair]

  /// Stores the values of the `Set-Cookie` fields of a response from this URL.
  ///
  /// The store ignores a value that violates RFC 6265.
  func store(_ fields: [String], from url: HTTPURL, now: Date)
}

/// A name-value pair of the `Cookie` field.
///
/// Its description omits the value.
public struct CookiePair: Sendable, Hashable, HidesSecrets {
  /// The name; empty for a cookie without a name.
  public let name: String
  /// The value, as the server sent it.
  public let value: String

  /// Creates a pair.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// The name only.
  public var description: String { "CookiePair(\(name))" }
}
