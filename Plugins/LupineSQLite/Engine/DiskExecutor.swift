import DequeModule
import LupineCore
import Synchronization

/// Runs the code of one actor on threads that may wait for disks, one piece after another.
final class DiskExecutor: SerialExecutor {
  private struct State {
    var jobs: Deque<UnownedJob> = []
    var isRunning = false
  }

  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustStart = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart { BlockingWork.start { [self] in runJobs() } }
  }

  private func runJobs() {
    while let job = nextJob() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  private func nextJob() -> UnownedJob? {
    state.withLock { state in
      let job = state.jobs.popFirst()
      state.isRunning = job != nil
      return job
    }
  }
}
