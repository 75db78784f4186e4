/// A type that has a value for a response without a body.
///
/// `Empty`, `JSONValue` (its `null`) and optionals are such types.
public protocol EmptyResponse {
  /// The value that stands for an empty body.
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

/// What is decoded where nothing is expected, as after a 204.
public struct Empty: Codable, Sendable, Hashable, EmptyResponse {
  /// The one value.
  public static let value = Empty()

  /// Makes the one value.
  public init() {}

  /// Accepts whatever there is.
  public init(from decoder: any Decoder) throws {}

  /// Returns the one value.
  public static func emptyValue() -> Empty { value }
}
