/// A seed for which a body failed, and the fewest faults that cause the failure.
public struct SimulationFailure: Error, Sendable {
  /// The seed.
  public let seed: UInt64
  /// The number of seeds that were run, including this one.
  public let seedsRun: Int
  /// All events that were injected in the first failing run.
  public let allFaults: [InjectedFault]
  /// The fewest faults under which the body fails with the same failure; empty if the order of events alone causes it.
  public internal(set) var faults: [InjectedFault]
  /// The error of the body under those faults.
  public internal(set) var failure: any Error
  /// The error of the first failing run with all faults, which has the same type and kind.
  public let firstFailure: any Error
  /// Whether no fault can be left out; false if the search for the fewest faults stopped at its limit.
  public internal(set) var isFewest = true
  /// The number of runs in the search for the fewest faults.
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
  /// The failure, its seed and faults, and the call that reproduces it.
  public var description: String {
    let injected = allFaults.count.times("fault was injected", "faults were injected")
    let title = "The body failed under seed \(seed), the \(seedsRun.ordinal) that was run: \(failure)"
    let first = "\(firstFailure)" == "\(failure)" ? [] : ["With all faults it threw: \(firstFailure)"]
    let list = faults.map { "  \($0)" }
    return ([title] + first + ["\(injected); \(needed)"] + list + ["To reproduce it:", "  \(call)"])
      .joined(separator: "\n")
  }

  private var needed: String {
    if !isFewest {
      return
        "the search stopped after \(runs.times("run", "runs")) with \(faults.count) left, of which some may not be needed:"
    }
    if faults.isEmpty { return "no fault is needed: the order of events or the body itself causes the failure." }
    return "\(faults.count.times("is", "are")) enough (found in \(runs.times("run", "runs"))):"
  }

  private var call: String {
    let list = faults.isEmpty ? "" : ", faults: [\(faults.map(\.description).joined(separator: ", "))]"
    let limit = stepLimit == Simulation.defaultStepLimit ? "" : ", stepLimit: \(stepLimit.grouped("_"))"
    return "try await withSimulation(seed: \(seed)\(list)\(limit)) { world in … }"
  }
}

extension Int {
  /// Returns the number with grouped digits, and the singular or plural noun.
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
