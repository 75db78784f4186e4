/// A seed under which a body failed, and the fewest faults that bring it about.
public struct SimulationFailure: Error, Sendable {
  /// The seed.
  public let seed: UInt64
  /// How many seeds were run, this one included.
  public let seedsRun: Int
  /// Everything that was injected when the body failed first.
  public let allFaults: [InjectedFault]
  /// The fewest of them under which it still fails alike; none where it fails by the order of events alone.
  public internal(set) var faults: [InjectedFault]
  /// What the body threw under those.
  public internal(set) var failure: any Error
  /// What it threw when it failed first, under all of them: an error of the same type and kind.
  public let firstFailure: any Error
  /// Whether none of the faults can be left out; false where the search for the fewest stopped at its limit.
  public internal(set) var isFewest = true
  /// How many runs the search for the fewest took.
  public internal(set) var runs = 0
  let stepLimit: Int

  init(seed: UInt64, seedsRun: Int, stepLimit: Int, allFaults: [InjectedFault], failure: any Error) {
    self.seed = seed
    self.seedsRun = seedsRun
    self.stepLimit = stepLimit
    self.allFaults = allFaults
    self.failure = failure
    firstFailure = failure
    faults = allFaults
  }
}

extension SimulationFailure: CustomStringConvertible {
  /// What failed, under which seed and faults, and the call that shows it again.
  public var description: String {
    let injected = allFaults.count.times("fault was injected", "faults were injected")
    let title = "The body failed under seed \(seed), the \(seedsRun.ordinal) that was run: \(failure)"
    let first = "\(firstFailure)" == "\(failure)" ? [] : ["With all faults it threw: \(firstFailure)"]
    let list = faults.map { "  \($0)" }
    return ([title] + first + ["\(injected); \(needed)"] + list + ["To see it again:", "  \(call)"])
      .joined(separator: "\n")
  }

  private var needed: String {
    if !isFewest {
      return "the search stopped at \(runs.times("run", "runs")), with \(faults.count) left, perhaps not all needed:"
    }
    if faults.isEmpty { return "none is needed: the order of events, or the body by itself, does it." }
    return "\(faults.count.times("is", "are")) enough (found in \(runs.times("run", "runs"))):"
  }

  private var call: String {
    let list = faults.isEmpty ? "" : ", faults: [\(faults.map(\.description).joined(separator: ", "))]"
    let limit = stepLimit == Simulation.defaultStepLimit ? "" : ", stepLimit: \(stepLimit.grouped("_"))"
    return "try await withSimulation(seed: \(seed)\(list)\(limit)) { world in … }"
  }
}

extension Int {
  /// The number, its digits in threes, and the word that fits it.
  fileprivate func times(_ one: String, _ many: String) -> String { "\(grouped(",")) \(self == 1 ? one : many)" }

  fileprivate func grouped(_ separator: Character) -> String {
    var text = ""
    for (index, digit) in "\(self)".reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(separator) }
      text.append(digit)
    }
    return String(text.reversed())
  }

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
