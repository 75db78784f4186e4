import DequeModule
import Synchronization

/// Threads that run one job at a time each; they are started as jobs need them, and end after this object is released.
public final class WorkerThreads: Sendable {
  /// The work for one thread.
  public typealias Job = @Sendable () -> Void

  private enum Need { case nothing, wake, thread }

  private let limit: Int
  private let queue: Queue
  private let startThread: SystemThread.Start
  private let runRefused: @Sendable (@escaping Job) -> Void

  /// - Parameters:
  ///   - limit: the maximum number of threads; further jobs wait for one of them.
  ///   - kept: the number of idle threads that are kept.
  ///   - startThread: runs the closure on a new thread; called on the thread of a caller of `add`.
  ///   - runRefused: runs a job if the system refuses a thread and there is no other. Default: on the thread of the caller
  ///     of `add`.
  public init(
    limit: Int, kept: Int, startThread: @escaping SystemThread.Start,
    runRefused: @escaping @Sendable (@escaping Job) -> Void = { $0() }
  ) {
    self.limit = limit
    queue = Queue(kept: kept)
    self.startThread = startThread
    self.runRefused = runRefused
  }

  deinit {
    let idle = queue.state.withLock { state in
      state.isClosed = true
      return state.idle
    }
    for _ in 0..<idle { queue.hasJob.signal() }
  }

  /// Runs the job on one of the threads.
  public func add(_ job: @escaping Job) {
    let need = queue.state.withLock { state -> Need in
      state.jobs.append(job)
      if state.idle > 0 {
        state.idle -= 1
        return .wake
      }
      guard state.threads < limit else { return .nothing }
      state.threads += 1
      return .thread
    }
    switch need {
    case .nothing: break
    case .wake: queue.hasJob.signal()
    case .thread: start()
    }
  }

  /// Starts a thread; if the system refuses it, the other threads run the jobs.
  private func start() {
    do throws(SystemThread.Failure) {
      try startThread { [queue] in queue.run() }
    } catch {
      for job in queue.threadWasRefused() { runRefused(job) }
    }
  }
}

/// The waiting jobs and the loop of the threads.
///
/// The threads hold this object, not `WorkerThreads`, so that its `deinit` can end them.
private final class Queue: Sendable {
  struct State {
    var jobs: Deque<WorkerThreads.Job> = []
    var threads = 0
    var idle = 0
    var isClosed = false
  }

  private enum Step {
    case run(WorkerThreads.Job)
    case wait
    case end
  }

  let state = Mutex(State())
  let hasJob = Semaphore()
  private let kept: Int

  init(kept: Int) { self.kept = kept }

  func run() {
    while true {
      switch state.withLock({ step(&$0) }) {
      case .run(let job): job()
      case .wait: hasJob.wait()
      case .end: return
      }
    }
  }

  private func step(_ state: inout State) -> Step {
    if let job = state.jobs.popFirst() { return .run(job) }
    guard !state.isClosed, state.idle < kept else {
      state.threads -= 1
      return .end
    }
    state.idle += 1
    return .wait
  }

  /// Returns the jobs that no thread can run.
  func threadWasRefused() -> Deque<WorkerThreads.Job> {
    state.withLock { state in
      state.threads -= 1
      guard state.threads == 0 else { return [] }
      defer { state.jobs = [] }
      return state.jobs
    }
  }
}
