public import LupineCore

/// One difference between a request and what a test double expects.
public struct RequestDifference: Sendable, Hashable {
  /// The difference in a few words, such as `query page: expected 2, got 3`, without the value of a secret.
  public var text: String
  /// The weight of the difference in the order of a report: the sum of all weights is the distance from the request.
  public var weight: Int

  /// Describes a difference.
  public init(text: String, weight: Int) {
    self.text = text
    self.weight = weight
  }

  /// Returns the differences of two origins: of their hosts, schemes and ports.
  public static func differences(expected: HTTPURL.Origin, got: HTTPURL.Origin) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if expected.host != got.host {
      differences.append(RequestDifference(text: "host: expected \(expected.host), got \(got.host)", weight: 6))
    }
    if expected.scheme != got.scheme {
      differences.append(RequestDifference(text: "scheme: expected \(expected.scheme), got \(got.scheme)", weight: 2))
    } else if expected.port != got.port {
      differences.append(RequestDifference(text: "port: expected \(expected.port), got \(got.port)", weight: 2))
    }
    return differences
  }
}

extension [String] {
  /// The maximum number of differences of one condition that are reported.
  static let maximumReportedDifferences = 10

  /// Joins the differences of one condition, each on its own line; `nil` if there are none.
  func joinedDifferences(_ prefix: String = "") -> String? {
    if isEmpty { return nil }
    let reported = self.prefix(Self.maximumReportedDifferences).map { prefix + $0 }
    let rest = count > reported.count ? ["… and more that differs"] : []
    return (reported + rest).joined(separator: "\n")
  }
}
