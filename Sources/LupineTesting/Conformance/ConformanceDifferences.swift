/// The differences between two transports.
public struct ConformanceDifferences: Sendable, CustomStringConvertible {
  /// The differences, in the order of the checks.
  public internal(set) var differences: [ConformanceDifference] = []
  /// The number of checks that ran on both.
  public internal(set) var compared = 0
  /// The checks that do not apply to both.
  public internal(set) var skipped: [SkippedCheck] = []

  /// All differences, then the skipped checks.
  public var description: String {
    let title = "\(compared) checks compared, \(differences.count) differences, \(skipped.count) checks skipped."
    return ([title] + differences.map(\.description) + skipped.map(\.description)).joined(separator: "\n")
  }
}
