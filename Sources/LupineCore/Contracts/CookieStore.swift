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
