/// Why nothing could be measured.
public struct MeasureError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
