import LupineCore
import LupineSupport
import Synchronization

/// Runs jobs that may wait for a disk, one after the other, on a thread of `BlockingWork`.
final class SerialWork: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Adds a job after those that were added before.
  func add(_ job: @escaping Job) {
    let mustStart = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart { BlockingWork.start { [self] in run() } }
  }

  /// Runs a job after those that were added before, and returns its result.
  func result<Value: Sendable>(of job: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      add { continuation.resume(returning: job()) }
    }
  }

  private func run() {
    while true {
      let jobs = state.withLock { state in
        state.isRunning = !state.jobs.isEmpty
        return exchange(&state.jobs, with: [])
      }
      if jobs.isEmpty { return }
      for job in jobs { job() }
    }
  }
}
