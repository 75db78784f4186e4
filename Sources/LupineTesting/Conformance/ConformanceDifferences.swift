/// Where two transports differ.
public struct ConformanceDifferences: Sendable, CustomStringConvertible {
  /// Where they differ, in the order of the checks.
  public internal(set) var differences: [ConformanceDifference] = []
  /// How many checks ran on both.
  public internal(set) var compared = 0
  /// The checks that do not apply to both.
  public internal(set) var skipped: [SkippedCheck] = []

  /// Every difference, then the checks that were skipped.
  public var description: String {
    let title = "\(compared) checks compared, \(differences.count) differences, \(skipped.count) checks skipped."
    return ([title] + differences.map(\.description) + skipped.map(\.description)).joined(separator: "\n")
  }
}

/// One check in which two transports differ.
public struct ConformanceDifference: Sendable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// The lines of the record in which they differ, each with the transport whose it is.
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

  /// The check, and below it the lines.
  public var description: String { "\(check)\n" + lines.map { "  \($0)" }.joined(separator: "\n") }
}
