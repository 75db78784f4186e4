import DequeModule
import LupineSupport
import Synchronization

/// Runs code that waits for a disk or for another blocking call, on threads for such code alone.
///
/// Neither a transport's thread nor a thread of Swift's cooperative pool waits meanwhile. A plugin uses it for its own
/// files, such as those of a stored response. At most 64 pieces of code run at the same time; others wait.
public enum BlockingWork {
  /// Runs the code on a thread of its own and returns its result.
  ///
  /// The calling task waits for the end of the code, also if it is cancelled meanwhile.
  public static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    if runsInline { return work() }
    return await withUnsafeContinuation { continuation in
      let box = Box(work)
      threads.add { continuation.resume(returning: box.run()) }
    }
  }

  /// Runs the code on a thread of its own, and does not wait for it.
  ///
  /// If `runsInline` is true, it runs as a task on the executor that the calling task prefers.
  public static func start(_ work: @escaping @Sendable () -> Void) {
    guard runsInline else { return threads.add(work) }
    Task(executorPreference: ExecutorPreference.current) { work() }
  }

  /// Whether the code runs on the calling task's own executor instead of a separate thread.
  ///
  /// A simulation sets it, so that the order of events is always the same. Default: `false`.
  @TaskLocal public static var runsInline = false

  /// Releases the work, and the files that it holds, before its result is delivered.
  private final class Box<Value: Sendable>: Sendable {
    private let work: Mutex<(@Sendable () -> Value)?>

    init(_ work: @escaping @Sendable () -> Value) { self.work = Mutex(work) }

    func run() -> Value {
      guard let work = work.withLock({ $0.take() }) else { preconditionFailure("The work runs once.") }
      return work()
    }
  }

  /// Runs code that throws; see `run`.
  ///
  /// - Throws: the error of the code.
  public static func run<Value: Sendable>(
    throwing work: @escaping @Sendable () throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    let result: Result<Value, LupineError> = await run {
      Result { () throws(LupineError) in try work() }
    }
    return try result.get()
  }

  private static let threads = BlockingThreads()
}

/// Threads that run one job at a time each; they are started as jobs need them.
final class BlockingThreads: Sendable {
  typealias Job = @Sendable () -> Void

  /// The maximum number of threads; further jobs wait for one of them.
  private static let most = 64
  /// The number of idle threads that are kept.
  private static let kept = 4

  private struct State {
    var waiting: Deque<Job> = []
    var threads = 0
    var idle = 0
  }

  private enum Step {
    case run(Job)
    case wait
    case end
  }

  private enum Need { case nothing, wake, thread }

  private let state = Mutex(State())
  private let hasJob = Semaphore()
  private let startThread: SystemThread.Start

  /// - Parameter startThread: runs the closure on a new thread; called on the thread of a caller of `add`.
  init(startThread: @escaping SystemThread.Start = BlockingThreads.startSystemThread) { self.startThread = startThread }

  func add(_ job: @escaping Job) {
    let need = state.withLock { state -> Need in
      state.waiting.append(job)
      if state.idle > 0 {
        state.idle -= 1
        return .wake
      }
      guard state.threads < Self.most else { return .nothing }
      state.threads += 1
      return .thread
    }
    switch need {
    case .nothing: break
    case .wake: hasJob.signal()
    case .thread: start()
    }
  }

  private static let startSystemThread: SystemThread.Start = { (run) throws(SystemThread.Failure) in
    try SystemThread("lupine-disk", run).detach()
  }

  /// Starts a thread.
  ///
  /// If the system refuses one, the other threads run the jobs. The calling thread runs them only if there is no other
  /// thread, because it may be the thread of a transport.
  private func start() {
    do throws(SystemThread.Failure) {
      try startThread { [self] in run() }
    } catch {
      let isOnlyThread = state.withLock { state in
        if state.threads > 1 {
          state.threads -= 1
          return false
        }
        return true
      }
      if isOnlyThread { run(untilIdle: true) }
    }
  }

  private func run(untilIdle: Bool = false) {
    while true {
      switch state.withLock({ Self.step(&$0, untilIdle) }) {
      case .run(let job): job()
      case .wait: hasJob.wait()
      case .end: return
      }
    }
  }

  private static func step(_ state: inout State, _ untilIdle: Bool) -> Step {
    if let job = state.waiting.popFirst() { return .run(job) }
    guard !untilIdle, state.idle < kept else {
      state.threads -= 1
      return .end
    }
    state.idle += 1
    return .wait
  }
}

/// The executor for the unstructured tasks that are made for a request.
///
/// Such a task does not inherit the executor preference of the task that creates it, but it inherits task-local values.
public enum ExecutorPreference {
  /// The executor that the running task prefers.
  @TaskLocal public static var current: (any TaskExecutor)?
}
