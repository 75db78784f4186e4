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
