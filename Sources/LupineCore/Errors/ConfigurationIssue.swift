/// One part of a session that does not fit the others.
public struct ConfigurationIssue: Sendable, Hashable, CustomStringConvertible {
  /// The part of the builder that asked, such as `trust` or `baseURL`.
  public let part: String
  /// What does not fit, and what to do about it.
  public let reason: String

  /// Names a part and says why it does not fit.
  public init(part: String, reason: String) {
    self.part = part
    self.reason = reason
  }

  /// The part and the reason, on one line.
  public var description: String { "\(part): \(reason)" }
}
