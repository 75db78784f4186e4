/// The most that a jar keeps and sends; what is over a limit is dropped without a word, as RFC 6265bis has it.
public struct CookieLimits: Sendable, Hashable {
  /// Bytes of a cookie's name and value together; a longer one is not taken.
  ///
  /// Default: 4 KiB.
  public var cookie = 4_096
  /// Cookies of one domain; those used least recently go first, and insecure ones before others.
  ///
  /// Default: 50.
  public var perDomain = 50
  /// Cookies in all; the domain whose cookie was used least recently loses one.
  ///
  /// Default: 3,000.
  public var total = 3_000
  /// Bytes of the field `Cookie` that are filled, which servers rarely take more of; the longest paths come first.
  ///
  /// Default: 8,190.
  public var field = 8_190
  /// Cookies in one field.
  ///
  /// Default: 150.
  public var perField = 150

  /// The defaults.
  public init() {}
}
