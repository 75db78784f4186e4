/// One check whose results differ between two transports.
public struct ConformanceDifference: Sendable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// The different lines of the two transcripts, each with the name of its transport.
  public let lines: [String]

  init?(_ check: String, _ left: (name: String, lines: [String]), _ right: (name: String, lines: [String])) {
    guard left.lines != right.lines else { return nil }
    self.check = check
    let only = right.lines.difference(from: left.lines)
    lines =
      only.removals.map { "\(left.name): \(Self.line($0))" } + only.insertions.map { "\(right.name): \(Self.line($0))" }
  }

  private static func line(_ change: CollectionDifference<String>.Change) -> String {
    switch change {
    case .insert(_, let line, _), .remove(_, let line, _): line
    }
  }

  /// The name of the check, followed by the lines.
  public var description: String { "\(check)\n" + lines.map { "  \($0)" }.joined(separator: "\n") }
}
