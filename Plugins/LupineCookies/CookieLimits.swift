/// The limits of a jar; a cookie over a limit is dropped without an error, as in RFC 6265bis.
public struct CookieLimits: Sendable, Hashable {
  /// The maximum size of a cookie's name and value in bytes; a larger cookie is not stored.
  ///
  /// Default: 4 KiB.
  public var cookie = 4_096
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
  public var field = 8_190
  /// The maximum number of cookies in one field.
  ///
  /// Default: 150.
  public var perField = 150

  /// Creates the default limits.
  public init() {}
}
