import LupineCore

extension Simulation {
  /// Runs a body once for each seed, each time under another order of events and other faults, delays and cancellations
  /// of the mock's exchanges; the first seed under which the body throws is shrunk and thrown.
  ///
  /// ```swift
  /// try await Simulation.explore(seeds: 0..<1_000) { world in
  ///   let ledger = try Ledger(transport: bank(), …)     // a program's own code, as it is
  ///   try? await ledger.transfer(10, from: "a", to: "b")
  ///   try world.expect(ledger.total == 100, "money was made")
  /// }
  /// ```
  ///
  /// A failing seed fails again whenever it is run. What is reported are the fewest of its faults under which the body
  /// still fails alike, and the call that shows them. Alike is an error of the same type and case, for a `LupineError` of
  /// the same kind, for `expect(_:_:)` at the same place; another failure is another bug, which the search passes by.
  ///
  /// - Parameters:
  ///   - seeds: the seeds; a single one replays it.
  ///   - mix: how often what befalls an exchange.
  ///   - shrinkLimit: how many runs are spent on finding the fewest faults. Default: 1,000.
  ///   - stepLimit: after how many steps a body that does not end has failed. Default: `defaultStepLimit`.
  ///   - body: what is run. It must make its mock and session anew each time, and throw where something does not hold.
  /// - Returns: how many seeds were run.
  /// - Throws: `SimulationFailure`; `LupineError` of kind `simulationNested` inside of a simulation.
  @discardableResult
  public static func explore(
    seeds: some Sequence<UInt64>, mix: FaultMix = FaultMix(), shrinkLimit: Int = 1_000,
    stepLimit: Int = defaultStepLimit, _ body: @escaping @Sendable (Simulation) async throws -> Void
  ) async throws -> Int {
    try refuseNesting()
    var count = 0
    for seed in seeds {
      try Task.checkCancellation()
      count += 1
      let world = Simulation(seed: seed, faults: FaultSchedule(mix, seed: seed))
      do {
        try await SimulationRun(world, stepLimit: stepLimit).run(body)
      } catch {
        if Task.isCancelled { throw CancellationError() }
        let found = SimulationFailure(
          seed: seed, seedsRun: count, stepLimit: stepLimit, allFaults: world.injectedFaults, failure: error)
        throw try await shrink(found, FailureKind(error), shrinkLimit: shrinkLimit, body)
      }
    }
    return count
  }

  private static func shrink(
    _ found: SimulationFailure, _ kind: FailureKind, shrinkLimit: Int,
    _ body: @escaping @Sendable (Simulation) async throws -> Void
  ) async throws -> SimulationFailure {
    var best = found
    var shrinker = Shrinker(found.allFaults, limit: shrinkLimit)
    while let candidate = shrinker.next() {
      try Task.checkCancellation()
      let world = Simulation(seed: found.seed, faults: FaultSchedule(candidate))
      do {
        try await SimulationRun(world, stepLimit: found.stepLimit).run(body)
        shrinker.take(fails: false)
      } catch {
        let isAlike = FailureKind(error) == kind
        shrinker.take(fails: isAlike)
        guard isAlike else { continue }
        best.faults = candidate
        best.failure = error
      }
    }
    best.runs = shrinker.runs
    best.isFewest = !shrinker.isStopped
    return best
  }
}
