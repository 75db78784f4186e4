/// Runs a body in a world whose order of events and whose chance one seed determines, in virtual time.
///
/// The body, its child tasks and all tasks that the library makes for it run one after the other; the seed says which of
/// those that are ready comes next. When none is, time jumps to the next moment that somebody sleeps to. So a body that
/// waits for an hour takes no time, and the same seed gives the same course, every time.
///
/// ```swift
/// try await withSimulation(seed: 7) {
///   let session = try Session.Builder().transport(mock).build()   // takes the world's clock and randomness
///   …
/// }
/// ```
///
/// Outside of it, and so neither ordered nor waited for, are tasks of the program's own that are detached or unstructured
/// (unless they name `Simulation.executor`), the main actor, dispatch queues and threads. Sessions must be made in the
/// body. Requests that the body leaves behind have their sleeps cancelled.
///
/// - Parameters:
///   - seed: what determines the course of events. Default: 0.
///   - faults: what the mock does besides what its stubs say, as a failing exploration prints it. Default: nothing.
///   - stepLimit: after how many steps a body that does not end is given up. Default: `Simulation.defaultStepLimit`.
///   - body: what is run; it gets the world.
/// - Throws: what the body throws; `LupineError` of kind `simulationStuck` where nothing can run and nobody sleeps, but
///   the body has not ended, and of kind `simulationNested` inside of another simulation.
@discardableResult
public func withSimulation<Value: Sendable>(
  seed: UInt64 = 0, faults: [InjectedFault] = [], stepLimit: Int = Simulation.defaultStepLimit,
  _ body: @escaping @Sendable (Simulation) async throws -> Value
) async throws -> Value {
  try Simulation.refuseNesting()
  return try await SimulationRun(Simulation(seed: seed, faults: FaultSchedule(faults)), stepLimit: stepLimit).run(body)
}

/// Runs a body that has no use for the world itself; see `withSimulation(seed:faults:stepLimit:_:)`.
@discardableResult
public func withSimulation<Value: Sendable>(
  seed: UInt64 = 0, faults: [InjectedFault] = [], stepLimit: Int = Simulation.defaultStepLimit,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withSimulation(seed: seed, faults: faults, stepLimit: stepLimit) { _ in try await body() }
}
