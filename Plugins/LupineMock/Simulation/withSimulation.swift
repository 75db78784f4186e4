/// Runs a body in virtual time, with an order of events and a randomness that one seed determines.
///
/// The body, its child tasks and all tasks that the library makes for it run one after another; the seed chooses among
/// the tasks that are ready. When none is ready, the time advances to the next deadline of a sleep. A body that waits
/// for an hour thus takes no time, and the same seed always gives the same order of events.
///
/// ```swift
/// try await withSimulation(seed: 7) {
///   let session = try Session.Builder().transport(mock).build()   // takes the world's clock and randomness
///   …
/// }
/// ```
///
/// The simulation neither orders nor awaits the program's detached or unstructured tasks (unless they name
/// `Simulation.executor`), the main actor, dispatch queues and threads. Sessions must be made in the body. The sleeps
/// of requests that the body leaves running are cancelled.
///
/// - Parameters:
///   - seed: determines the order of events. Default: 0.
///   - faults: the events that the mock injects in addition to its stubs, as a failing exploration prints them.
///     Default: none.
///   - stepLimit: the number of steps after which a body that does not end is stopped. Default:
///     `Simulation.defaultStepLimit`.
///   - body: the code to run; its argument is the world.
/// - Throws: the error of the body; `LupineError` of kind `simulationStuck` if no task can run or sleeps but the body
///   has not ended, and of kind `simulationNested` inside another simulation.
@discardableResult
public func withSimulation<Value: Sendable>(
  seed: UInt64 = 0, faults: [InjectedFault] = [], stepLimit: Int = Simulation.defaultStepLimit,
  _ body: @escaping @Sendable (Simulation) async throws -> Value
) async throws -> Value {
  try Simulation.refuseNesting()
  return try await SimulationRun(Simulation(seed: seed, faults: FaultSchedule(faults)), stepLimit: stepLimit).run(body)
}

/// Runs a body that does not use the world as an argument; see `withSimulation(seed:faults:stepLimit:_:)`.
@discardableResult
public func withSimulation<Value: Sendable>(
  seed: UInt64 = 0, faults: [InjectedFault] = [], stepLimit: Int = Simulation.defaultStepLimit,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withSimulation(seed: seed, faults: faults, stepLimit: stepLimit) { _ in try await body() }
}
