import LupineCore
import LupineSupport
import Synchronization

/// One run of a body in a simulation.
final class SimulationRun<Value: Sendable>: Sendable {
  typealias Body = @Sendable (Simulation) async throws -> Value

  private let world: Simulation
  private let stepLimit: Int
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ world: Simulation, stepLimit: Int) {
    self.world = world
    self.stepLimit = stepLimit
  }

  /// Runs the body to its end; cancelling the caller's task cancels the body's.
  func run(_ body: @escaping Body) async throws -> Value {
    try await withTaskCancellationHandler {
      start(body)
      return try await withUnsafeContinuation { continuation in
        // A separate thread, because a job must not run inside another job.
        do throws(SystemThread.Failure) {
          try SystemThread("lupine-simulate") { [self] in continuation.resume(returning: runToEnd()) }.detach()
        } catch {
          world.scheduler.close()
          continuation.resume(
            returning: .failure(LupineError(.other, "The system cannot start a thread for the simulation.")))
        }
      }.get()
    } onCancel: {
      task.withLock { $0 }?.cancel()
    }
  }

  private func start(_ body: @escaping Body) {
    let running = withTaskLocals {
      Task(executorPreference: world.scheduler) { [self] in
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(world)) } catch { outcome = .failure(error) }
        result.withLock { $0 = outcome }
      }
    }
    task.withLock { $0 = running }
    if Task.isCancelled { running.cancel() }
  }

  /// Runs code with the task-local values of the simulation, which the tasks that it starts inherit.
  private func withTaskLocals<Output>(_ code: () -> Output) -> Output {
    SessionEnvironment.$current.withValue(world.environment) {
      ExecutorPreference.$current.withValue(world.scheduler) {
        BlockingWork.$runsInline.withValue(true) {
          Simulation.$current.withValue(world, operation: code)
        }
      }
    }
  }

  private var isDone: Bool { result.withLock { $0 != nil } }

  /// Runs jobs and advances the time until the body is done; then completes the tasks that the body left.
  private func runToEnd() -> Result<Value, any Error> {
    var stuck: LupineError?
    if let reason = runUntilDone() {
      stuck = world.stuck(reason)
      task.withLock { $0 }?.cancel()
      _ = runUntilDone()
    }
    world.clock.close()
    var left = stepLimit
    while left > 0, world.scheduler.runOne() { left -= 1 }
    world.scheduler.close()
    if let failure = world.recordedFailure { return .failure(failure) }
    if let stuck { return .failure(stuck) }
    return result.withLock { $0 } ?? .failure(CancellationError())
  }

  /// Continues until the body is done; returns a message if it cannot.
  private func runUntilDone() -> String? {
    var steps = 0
    while !isDone {
      // The action of a timer runs outside of any task.
      if !world.scheduler.runOne(), !withTaskLocals({ world.clock.advanceToNextDeadline(world.scheduler.choose) }) {
        return "no task can run and no timer is set on its clock, but its body has not ended."
      }
      steps += 1
      if steps >= stepLimit { return "its body has not ended after \(stepLimit) steps." }
    }
    return nil
  }
}

extension Simulation {
  /// Throws inside another simulation, which cannot observe work on another thread.
  static func refuseNesting() throws(LupineError) {
    guard let outer = current else { return }
    throw LupineError(
      .simulationNested,
      "A simulation cannot begin inside the one with seed \(outer.seed), which cannot observe work on another thread. "
        + "Run the two one after the other, or use the world of the outer one, `Simulation.current`.")
  }

  fileprivate func stuck(_ reason: String) -> LupineError {
    let requests = runningRequests.map { "  \($0)" }
    let waiting =
      requests.isEmpty
      ? "No request is running. A body that waits does so for something outside of the simulation: most often a task made "
        + "with `Task { }`, which must be `Task(executorPreference: world.executor) { }`; or a detached task, the main "
        + "actor, a dispatch queue, a thread, or a continuation that is never resumed."
      : (["Running requests:"] + requests).joined(separator: "\n")
    return LupineError(
      .simulationStuck,
      "The simulation with seed \(seed) is stuck at \(clock.now.offset) of its time: \(reason)\n\(waiting)")
  }
}

/// Runs the tasks of a simulation one after another, in an order that the seed determines.
final class SimulationExecutor: TaskExecutor {
  private struct State {
    var ready: [UnownedJob] = []
    var generator: SeededGenerator
    var isOver = false
  }

  private let state: Mutex<State>

  init(seed: UInt64) { state = Mutex(State(generator: SeededGenerator(seed: seed, stream: 1))) }

  /// Adds a job; after the simulation's end the job runs on the global executor, so that no waiting task hangs.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isOver = state.withLock { state in
      if !state.isOver { state.ready.append(job) }
      return state.isOver
    }
    if isOver { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  /// Runs one of the ready jobs; returns false if there is none.
  func runOne() -> Bool {
    let job = state.withLock { state -> UnownedJob? in
      guard !state.ready.isEmpty else { return nil }
      let index = Int.random(in: 0..<state.ready.count, using: &state.generator)
      state.ready.swapAt(index, state.ready.count - 1)
      return state.ready.removeLast()
    }
    guard let job else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Chooses an index below `count` with the seed.
  func choose(among count: Int) -> Int {
    state.withLock { Int.random(in: 0..<count, using: &$0.generator) }
  }

  /// Ends the simulation: ready and later jobs run on the global executor.
  func close() {
    let rest = state.withLock { state in
      state.isOver = true
      defer { state.ready = [] }
      return state.ready
    }
    for job in rest { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }
}
