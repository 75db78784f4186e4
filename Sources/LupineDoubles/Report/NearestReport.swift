public import LupineCore

/// The candidates that come nearest to a request which none of them matches, with their differences.
public struct NearestReport: Sendable, CustomStringConvertible {
  /// A stub of a mock, or an entry of a recording, that could have answered the request.
  public struct Candidate: Sendable {
    /// The candidate in a few words, with its place.
    public var title: String
    /// All reasons why the candidate does not match.
    public var differences: [RequestDifference]

    /// Describes a candidate.
    public init(_ title: String, _ differences: [RequestDifference]) {
      self.title = title
      self.differences = differences
    }
  }

  private static let maximumCount = 3

  private let nearest: ArraySlice<Candidate>
  private let count: Int
  private let singular: String
  private let plural: String

  /// Sorts the candidates by the sum of the weights of their differences.
  ///
  /// - Parameters:
  ///   - singular: the word for one candidate, such as `stub`.
  ///   - plural: the word for several candidates.
  public init(_ candidates: [Candidate], singular: String, plural: String) {
    let distances = candidates.map { ($0, $0.differences.reduce(0) { $0 + $1.weight }) }
    nearest = distances.sorted { $0.1 < $1.1 }.map(\.0).prefix(Self.maximumCount)
    count = candidates.count
    self.singular = singular
    self.plural = plural
  }

  /// A line with the number of candidates, and the three nearest ones, each with its differences on lines of their own.
  public var description: String {
    let title = count == 1 ? "Its only \(singular) differs:" : "The nearest of its \(count) \(plural):"
    let entries = nearest.enumerated().map { index, candidate in
      (["  \(index + 1). \(candidate.title)"]
        + candidate.differences.map { "     \($0.text.replacing("\n", with: "\n     "))" })
        .joined(separator: "\n")
    }
    return ([title] + entries).joined(separator: "\n")
  }
}

extension LupineError.Kind {
  /// No stub of a mock, or no entry of a recording, matches the request.
  public static let unmatchedRequest = LupineError.Kind.plugin("unmatchedRequest")
}
