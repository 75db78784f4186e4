import LupineCore

extension Simulation {
  /// Runs a body once for each seed and throws the first failure, reduced to the fewest faults.
  ///
  /// Each seed gives another order of events and other faults, delays and cancellations of the mock's exchanges.
  ///
  /// ```swift
  /// try await Simulation.explore(seeds: 0..<1_000) { world in
  ///   let ledger = try Ledger(transport: bank(), …)     // a program's own code, as it is
  ///   try? await ledger.transfer(10, from: "a", to: "b")
  ///   try world.expect(ledger.total == 100, "money was made")
  /// }
  /// ```
  ///
  /// A failing seed fails again in every run. The report has the fewest faults under which the body still fails with
  /// the same failure, and the call that reproduces it. Two failures are the same if the errors have the same type and
  /// case, for a `LupineError` the same kind, and for `expect(_:_:)` the same source location. The search ignores other
  /// failures.
  ///
  /// - Parameters:
  ///   - seeds: the seeds; a single one replays it.
  ///   - mix: the rates of the injected events.
  ///   - shrinkLimit: the maximum number of runs to find the fewest faults. Default: 1,000.
  ///   - stepLimit: the number of steps after which a body that does not end has failed. Default: `defaultStepLimit`.
  ///   - body: the code to run. It must make its mock and session anew each time, and throw if an expectation is not
  ///     met.
  /// - Returns: the number of seeds that were run.
  /// - Throws: `SimulationFailure`; `LupineError` of kind `simulationNested` inside a simulation.
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
