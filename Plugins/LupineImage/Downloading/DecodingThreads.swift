import DequeModule
import LupineCore
import LupineSupport
import Synchronization

/// Threads that decode pictures, so that no transport and no task waits meanwhile.
///
/// They start as they are needed, and end with this object.
final class DecodingThreads: Sendable {
  typealias Job = @Sendable () -> Void

  private final class Queue: Sendable {
    struct State {
      var jobs: Deque<Job> = []
      var threads = 0
      var idle = 0
      var isClosed = false
    }

    let state = Mutex(State())
    let hasWork = Semaphore()

    func run() {
      while true {
        let job = state.withLock { state -> Job? in
          let job = state.jobs.popFirst()
          if job == nil { state.idle += 1 }
          return job
        }
        if let job {
          job()
          continue
        }
        hasWork.wait()
        if state.withLock({ $0.isClosed && $0.jobs.isEmpty }) { return }
      }
    }
  }

  private enum Need { case nothing, wake, thread }

  private let limit: Int
  private let queue = Queue()

  init(limit: Int) { self.limit = limit }

  deinit {
    let idle = queue.state.withLock { state in
      state.isClosed = true
      return state.threads
    }
    for _ in 0..<idle { queue.hasWork.signal() }
  }

  /// Runs the job on one of the threads, or in a task of a simulation.
  func run(_ job: @escaping Job) {
    if BlockingWork.runsInline { return BlockingWork.start(job) }
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
    case .wake: queue.hasWork.signal()
    case .thread: start()
    }
  }

  /// Starts a thread; if the system refuses it and there is no other, the threads for blocking work run the jobs.
  private func start() {
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-image", stackSize: 1 << 20) { [queue] in queue.run() }.detach()
    } catch {
      let jobs = queue.state.withLock { state -> Deque<Job> in
        state.threads -= 1
        guard state.threads == 0 else { return [] }
        defer { state.jobs = [] }
        return state.jobs
      }
      for job in jobs { BlockingWork.start(job) }
    }
  }
}
