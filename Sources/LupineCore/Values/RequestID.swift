/// Names one request of a session; later requests have greater numbers.
public struct RequestID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number, from 1.
  public let rawValue: UInt64

  /// Wraps a number.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether one request was made before the other.
  public static func < (left: RequestID, right: RequestID) -> Bool { left.rawValue < right.rawValue }

  /// The number after a `#`.
  public var description: String { "#\(rawValue)" }
}
