/// The error of a transport that violates a requirement of its contract.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// The name of the transport.
  public let subject: String
  /// The examined value, such as `the status`.
  public let what: String
  /// The value that the contract requires.
  public let expected: String
  /// The transport's value.
  public let got: String

  /// The check, the transport and both values, on separate lines.
  public var description: String {
    "\(subject) fails the check “\(check)”.\n  \(what)\n  expected: \(expected)\n  got:      \(got)"
  }
}
