public import LupineCore

/// A check that does not apply to a transport.
public struct SkippedCheck: Sendable, CustomStringConvertible {
  /// The check.
  public let check: ConformanceCheck
  /// The capabilities that the transport lacks.
  public let missing: TransportCapabilities

  /// The check's name and the missing capabilities.
  public var description: String { "\(check.name): skipped, it needs \(missing)" }
}
