/// One difference between a request and the expectation of a stub.
struct Difference {
  let text: String
  /// The weight of the difference in the order of stubs.
  let weight: Int
}

extension [String] {
  /// The maximum number of differences of one condition that are reported.
  static let toldDifferences = 10

  /// Joins the differences of one condition, each on its own line; `nil` if there are none.
  func joinedDifferences(_ prefix: String = "") -> String? {
    if isEmpty { return nil }
    let told = self.prefix(Self.toldDifferences).map { prefix + $0 }
    let rest = count > told.count ? ["… and more that differs"] : []
    return (told + rest).joined(separator: "\n")
  }
}
