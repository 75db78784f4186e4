public import FoundationEssentials

/// Keeps the cookies that servers set, and says which go with a request (RFC 6265).
///
/// It goes by the URL alone, never by a `Host` field. A session calls it around every exchange, those of redirects and
/// challenges included, possibly from several requests at once; it answers at once.
public protocol CookieStore: Sendable {
  /// The pairs of the `Cookie` field for this URL, in their order.
  func cookies(for url: HTTPURL, now: Date) -> [CookiePair]

  /// Takes the values of the `Set-Cookie` fields of a response from this URL; what breaks the rules is dropped.
  func store(_ fields: [String], from url: HTTPURL, now: Date)
}

/// A cookie as it stands in the `Cookie` field.
///
/// Its description hides the value.
public struct CookiePair: Sendable, Hashable, HidesSecrets {
  /// The name; empty for a cookie that has none.
  public let name: String
  /// The value, as the server wrote it.
  public let value: String

  /// Joins a name and a value.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// The name alone.
  public var description: String { "CookiePair(\(name))" }
}
