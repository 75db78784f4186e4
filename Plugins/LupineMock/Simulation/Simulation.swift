public import FoundationEssentials
public import LupineCore
import Synchronization

/// A world with a time and a chance of its own, in which one seed gives one course of events.
///
/// `withSimulation(seed:)` and `Simulation.explore(seeds:)` make one and run a body in it. Sessions whose builder is made
/// in the body take the world's clock, date, randomness and executor unless they are told otherwise.
public final class Simulation: Sendable {
  private struct State {
    var generator: SeededGenerator
    var runningRequests: [@Sendable () -> [RequestSummary]] = []
  }

  /// What determines the course of events.
  public let seed: UInt64
  /// The world's time.
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

  /// After how many steps a body that does not end is given up, where nothing else is said: 1,000,000.
  public static let defaultStepLimit = 1_000_000

  /// The world that the calling task runs in.
  @TaskLocal public static var current: Simulation?

  /// Where the world's tasks run, one after the other.
  ///
  /// A body's child tasks run there by themselves. An unstructured task of the program's own must name it, as in
  /// `Task(executorPreference: world.executor) { … }`; without that, and detached, it runs outside.
  public var executor: any TaskExecutor { scheduler }

  /// The world's date, which moves with its clock from the first day of 2001 on.
  public var date: Date { clock.date }

  /// 64 random bits, from the seed.
  public func random() -> UInt64 { state.withLock { $0.generator.next() } }

  /// The faults that were injected so far, in their order.
  public var injectedFaults: [InjectedFault] { schedule.injected }

  /// Sleeps on the world's clock.
  public func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }

  /// Throws where something that must hold does not, so that the seed counts as a failing one.
  ///
  /// Inside a simulation this is the word to use: an expectation of a test library would be noted once for each run. Each
  /// place in the source is another expectation, whatever its message says.
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

  /// The requests that run, as a person reads them.
  var runningRequests: [String] {
    state.withLock { $0.runningRequests }.flatMap { $0() }.map(\.description)
  }
}
