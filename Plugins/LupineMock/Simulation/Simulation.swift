public import FoundationEssentials
public import LupineCore
import Synchronization

/// A simulated world with its own time and randomness, in which a seed determines the order of events.
///
/// `withSimulation(seed:)` and `Simulation.explore(seeds:)` make a world and run a body in it. A session whose builder
/// is made in the body uses the world's clock, date, randomness and executor, unless the builder sets others.
public final class Simulation: Sendable {
  private struct State {
    var generator: SeededGenerator
    var runningRequests: [@Sendable () -> [RequestSummary]] = []
  }

  /// The seed that determines the order of events.
  public let seed: UInt64
  /// The world's clock.
  public let clock = SimulationClock()
  let scheduler: SimulationExecutor
  let schedule: FaultSchedule
  private let state: Mutex<State>

  init(seed: UInt64, faults: FaultSchedule = FaultSchedule([])) {
    self.seed = seed
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
  public func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }

  /// Throws if a condition is false, so that the seed counts as failing.
  ///
  /// Use this method inside a simulation: an expectation of a test library would be recorded once for each run. Each
  /// source location is a separate expectation, whatever its message.
  public func expect(
    _ condition: Bool, _ message: @autoclosure () -> String, fileID: String = #fileID, line: UInt = #line,
    column: UInt = #column
  ) throws(LupineError) {
    guard !condition else { return }
    throw LupineError(.other, message(), underlying: UnmetExpectation(fileID: fileID, line: line, column: column))
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
}
