/// One part of a session's configuration that does not fit the others.
public struct ConfigurationIssue: Sendable, Hashable, CustomStringConvertible {
  /// The part of the builder, such as `trust` or `baseURL`.
  public let part: String
  /// The reason, with advice.
  public let reason: String

  /// Creates an issue.
  public init(part: String, reason: String) {
    self.part = part
    self.reason = reason
  }

  /// The part and the reason, on one line.
  public var description: String { "\(part): \(reason)" }
}
