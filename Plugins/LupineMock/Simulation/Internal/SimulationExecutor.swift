import Synchronization

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
