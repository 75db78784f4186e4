/// A seed under which a body failed, and the fewest faults that bring it about.
public struct SimulationFailure: Error, Sendable {
  /// The seed.
  public let seed: UInt64
  /// How many seeds were run, this one included.
  public let seedsRun: Int
  /// Everything that was injected when the body failed first.
  public let allFaults: [InjectedFault]
  /// The fewest of them under which it still fails; none where it fails by the order of events alone.
  public internal(set) var faults: [InjectedFault]
  /// What the body threw under those.
  public internal(set) var failure: any Error
  /// How many runs the search for the fewest took.
  public internal(set) var runs = 0

  init(seed: UInt64, seedsRun: Int, allFaults: [InjectedFault], failure: any Error) {
    self.seed = seed
    self.seedsRun = seedsRun
    self.allFaults = allFaults
    self.failure = failure
    faults = allFaults
  }
}

extension SimulationFailure: CustomStringConvertible {
  /// What failed, under which seed and faults, and the call that shows it again.
  public var description: String {
    let injected = allFaults.count == 1 ? "1 fault was injected" : "\(allFaults.count) faults were injected"
    let isByOrder = "none is needed: the order of events, or the body by itself, does it."
    let needed =
      switch faults.count {
      case 0: isByOrder
      case 1: "1 is enough (found in \(runs) runs):"
      default: "\(faults.count) are enough (found in \(runs) runs):"
      }
    let list = faults.map { "  \($0)" }
    let argument = faults.isEmpty ? "" : ", faults: [\(faults.map(\.description).joined(separator: ", "))]"
    return
      ([
        "The body failed under seed \(seed), the \(seedsRun.ordinal) that was run: \(failure)",
        "\(injected); \(needed)",
      ] + list + ["To see it again:", "  try await withSimulation(seed: \(seed)\(argument)) { world in … }"])
      .joined(separator: "\n")
  }
}

extension Int {
  fileprivate var ordinal: String {
    let ending =
      switch (self % 10, self % 100) {
      case (_, 11...13): "th"
      case (1, _): "st"
      case (2, _): "nd"
      case (3, _): "rd"
      default: "th"
      }
    return "\(self)\(ending)"
  }
}
