/// A type that has a value for a response without a body.
///
/// `Empty`, `JSONValue` (with `null`) and optionals conform.
public protocol EmptyResponse {
  /// Returns the value for an empty body.
  static func emptyValue() -> Self
}

extension JSONValue: EmptyResponse {
  /// Returns `null`.
  public static func emptyValue() -> JSONValue { .null }
}

extension Optional: EmptyResponse {
  /// Returns `nil`.
  public static func emptyValue() -> Wrapped? { nil }
}

/// The value of a response without content, such as 204.
public struct Empty: Codable, Sendable, Hashable, EmptyResponse {
  /// The one value.
  public static let value = Empty()

  /// Makes the one value.
  public init() {}

  /// Accepts any content.
  public init(from decoder: any Decoder) throws {}

  /// Returns the one value.
  public static func emptyValue() -> Empty { value }
}
