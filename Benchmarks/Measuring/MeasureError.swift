/// Why nothing could be measured.
public struct MeasureError: Error, CustomStringConvertible {
  /// The reason, for a person.
  public let description: String

  /// Makes an error with its reason.
  public init(_ description: String) { self.description = description }
}
