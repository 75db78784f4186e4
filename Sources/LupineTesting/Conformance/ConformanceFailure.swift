/// Says what a transport did not do as its contract asks.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// The transport that was checked.
  public let subject: String
  /// What was looked at, such as `the status`.
  public let what: String
  /// What the contract asks for.
  public let expected: String
  /// What the transport did.
  public let got: String

  /// The check, the transport, and both values, one a line.
  public var description: String {
    "\(subject) fails the check “\(check)”.\n  \(what)\n  expected: \(expected)\n  got:      \(got)"
  }
}
