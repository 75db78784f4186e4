public import LupineCore
public import LupineFoundation
import Synchronization

/// A simulated world with its own time and randomness, in which a seed determines the order of events.
///
/// `withSimulation(seed:)` and `Simulation.explore(seeds:)` make a world and run a body in it. A session whose builder
/// is made in the body uses the world's clock, date, randomness and executor, unless the builder sets others.
public final class Simulation: Sendable {
  private struct State {
    var generator: SeededGenerator
    var runningRequests: [@Sendable () -> [RequestSummary]] = []
    var failure: LupineError?
  }

  /// The seed that determines the order of events.
  public let seed: UInt64
  /// Whether the world belongs to a run of `explore(seeds:)`, which repeats the body.
  public let isExploring: Bool
  /// The world's clock.
  public let clock = SimulationClock()
  let scheduler: SimulationExecutor
  let schedule: FaultSchedule
  private let state: Mutex<State>

  init(seed: UInt64, faults: FaultSchedule = FaultSchedule([]), isExploring: Bool = false) {
    self.seed = seed
    self.isExploring = isExploring
    schedule = faults
    scheduler = SimulationExecutor(seed: seed)
    state = Mutex(State(generator: SeededGenerator(seed: seed, stream: 2)))
  }

  /// The default number of steps after which a body that does not end is stopped: 1,000,000.
  public static let defaultStepLimit = 1_000_000

  /// The world that the calling task runs in.
  @TaskLocal public static var current: Simulation?

  /// The executor that runs the world's tasks one after another.
  ///
  /// Child tasks of the body use it automatically. An unstructured task must name it, as in `Task(executorPreference:
  /// world.executor) { … }`. Detached tasks, and unstructured tasks that do not name it, run outside the simulation.
  public var executor: any TaskExecutor { scheduler }

  /// The world's date, which starts at 1 January 2001 and advances with its clock.
  public var date: Date { clock.date }

  /// Returns 64 random bits from the seeded sequence.
  public func random() -> UInt64 { state.withLock { $0.generator.next() } }

  /// The faults that have been injected, in order.
  public var injectedFaults: [InjectedFault] { schedule.injected }

  /// Sleeps on the world's clock.
  ///
  /// - Throws: `CancellationError` if the task is cancelled or the simulation has ended.
  public func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }

  /// Throws if a condition is false, so that the seed counts as failing.
  ///
  /// Inside an exploration use this method, or give the test the trait `.exploring` of `LupineTesting`. Without them an
  /// expectation of a test library does not end the exploration, and its report lacks the seed and the faults. Each
  /// source location is a separate expectation, whatever its message.
  public func expect(
    _ condition: Bool, _ message: @autoclosure () -> String, fileID: String = #fileID, line: UInt = #line,
    column: UInt = #column
  ) throws(LupineError) {
    guard !condition else { return }
    throw Self.unmet(message(), fileID, line, column)
  }

  /// Counts the run as failed, although its body does not throw.
  ///
  /// It is meant for test libraries, whose expectations record an issue and continue. When the body has ended,
  /// `explore(seeds:)` and `withSimulation(seed:)` throw the first recorded failure instead of the body's own error.
  public func recordFailure(_ message: String, fileID: String, line: UInt, column: UInt) {
    state.withLock { $0.failure = $0.failure ?? Self.unmet(message, fileID, line, column) }
  }

  /// The first failure of `recordFailure(_:fileID:line:column:)`.
  var recordedFailure: LupineError? { state.withLock { $0.failure } }

  private static func unmet(_ message: String, _ fileID: String, _ line: UInt, _ column: UInt) -> LupineError {
    LupineError(.other, message, underlying: UnmetExpectation(fileID: fileID, line: line, column: column))
  }

  var environment: SessionEnvironment {
    SessionEnvironment(
      clock: clock, now: { [self] in date }, random: { [self] in random() },
      onBuild: { [self] running in
        state.withLock { $0.runningRequests.append(running) }
      })
  }

  /// The running requests in readable form.
  var runningRequests: [String] {
    state.withLock { $0.runningRequests }.flatMap { $0() }.map(\.description)
  }

  /// Returns the events of an exchange that begins now, and schedules its cancellation; `nil` if there are none.
  func injection(_ request: OutgoingRequest, _ context: TransferContext) -> FaultInjection? {
    let injection = schedule.next(request)
    if let cancellation = injection.cancellation {
      _ = clock.schedule(at: clock.now.advanced(by: cancellation)) { context.cancelRequest() }
    }
    return injection.delay == .zero && injection.fault == nil ? nil : injection
  }
}

extension Simulation {
  /// Runs a body once for each seed and throws the first failure, reduced to the fewest faults.
  ///
  /// Each seed gives another order of events and other faults, delays and cancellations of the mock's exchanges.
  ///
  /// ```swift
  /// try await Simulation.explore(seeds: 0..<1_000) { world in
  ///   let mock = MockTransport()
  ///   mock.stub(.post, "/add", .text("added"))
  ///   let account = Account(session: try Session.Builder().transport(mock).build())
  ///   try await account.add(10)  // does not expect that anything can fail
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
  ///   - body: the code to run. It must create its own mock and session in each run, and throw if an expectation is
  ///     not met.
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
      let world = Simulation(seed: seed, faults: FaultSchedule(mix, seed: seed), isExploring: true)
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
      let world = Simulation(seed: found.seed, faults: FaultSchedule(candidate), isExploring: true)
      do {
        try await SimulationRun(world, stepLimit: found.stepLimit).run(body)
        shrinker.record(fails: false)
      } catch {
        let isSameFailure = FailureKind(error) == kind
        shrinker.record(fails: isSameFailure)
        guard isSameFailure else { continue }
        best.faults = candidate
        best.failure = error
      }
    }
    best.runs = shrinker.runs
    best.isFewest = !shrinker.isStopped
    return best
  }
}

/// The source location of a simulation's expectation that was not met.
///
/// The error carries the location, because two expectations may have the same message, and one expectation may have
/// several.
struct UnmetExpectation: Error, Hashable, CustomStringConvertible {
  let fileID: String
  let line: UInt
  let column: UInt

  var description: String { "the expectation at \(fileID):\(line) was not met" }
}

/// Runs a body in virtual time, with an order of events and a randomness that one seed determines.
///
/// The body, its child tasks and all tasks that the library makes for it run one after another; the seed chooses among
/// the tasks that are ready. When none is ready, the time advances to the next deadline of a sleep. A body that waits
/// for an hour thus takes no time, and the same seed always gives the same order of events.
///
/// ```swift
/// let report = try await withSimulation(seed: 7) { world in
///   let mock = MockTransport()
///   mock.stub(.get, "/slow", .text("done").latency(.exponential(mean: .seconds(60))))
///   let session = try Session.Builder().transport(mock).build()  // takes the world's clock and randomness
///   let text = try await session.request("https://example.com/slow").serializingString().value
///   return "\(text) at \(world.clock.now.offset)"  // at once, and the same every time
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
