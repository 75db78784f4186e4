/// One way in which a request is not what a stub expects.
struct Difference {
  let text: String
  /// How far it takes the request from the stub.
  let weight: Int
}

extension [String] {
  /// The most differences of one condition that are told.
  static let toldDifferences = 10

  /// Several differences of one condition as one, each on a line of its own; nil where there is none.
  func joinedDifferences(_ prefix: String = "") -> String? {
    if isEmpty { return nil }
    let told = self.prefix(Self.toldDifferences).map { prefix + $0 }
    let rest = count > told.count ? ["… and more that differs"] : []
    return (told + rest).joined(separator: "\n")
  }
}
