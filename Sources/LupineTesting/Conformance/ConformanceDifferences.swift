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
