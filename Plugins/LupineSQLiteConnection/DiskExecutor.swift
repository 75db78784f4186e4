import DequeModule
import LupineCore
import Synchronization

/// Runs the code of one actor on threads that may wait for disks, one piece after another.
public final class DiskExecutor: SerialExecutor {
  private struct State {
    var jobs: Deque<UnownedJob> = []
    var isRunning = false
  }

  private let state = Mutex(State())
  /// The executor whose tasks run the code, if blocking work runs inline, as in a simulation.
  private let inlineExecutor: (any TaskExecutor)?

  /// Creates an executor without work.
  ///
  /// If blocking work runs inline in the calling task, as in a simulation, the code runs in tasks of the executor that
  /// the calling task prefers.
  public init() { inlineExecutor = BlockingWork.runsInline ? ExecutorPreference.current : nil }

  /// Adds a piece of work.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustStart = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard mustStart else { return }
    if let inlineExecutor {
      Task(executorPreference: inlineExecutor) { self.runJobs() }
    } else {
      BlockingWork.start { [self] in runJobs() }
    }
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
