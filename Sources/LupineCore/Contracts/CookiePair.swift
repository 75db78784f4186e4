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
