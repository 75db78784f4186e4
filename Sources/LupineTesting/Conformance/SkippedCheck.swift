public import LupineCore

/// A check that does not apply to a transport.
public struct SkippedCheck: Sendable, CustomStringConvertible {
  /// The check.
  public let check: ConformanceCheck
  /// What the transport cannot do.
  public let missing: TransportCapabilities

  /// The check's name and what is missing.
  public var description: String { "\(check.name): skipped, it needs \(missing)" }
}
