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

  private static let threads = WorkerThreads(limit: 64, kept: 4) { (run) throws(SystemThread.Failure) in
    try SystemThread("lupine-disk", run).detach()
  }
}

/// The executor for the unstructured tasks that are made for a request.
///
/// Such a task does not inherit the executor preference of the task that creates it, but it inherits task-local values.
public enum ExecutorPreference {
  /// The executor that the running task prefers.
  @TaskLocal public static var current: (any TaskExecutor)?
}
