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
