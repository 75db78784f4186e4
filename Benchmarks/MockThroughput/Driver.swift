import Dispatch
import Synchronization

/// Runs a task and its child tasks on the thread that waits for the task.
///
/// The program then has one thread and executes the same instructions in every run, so they can be counted exactly.
final class Driver: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let outcome = Mutex<Result<Void, any Error>?>(nil)
  private let arrivals = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    arrivals.signal()
  }

  func run(_ work: @escaping @Sendable () async throws -> Void) throws {
    Task(executorPreference: self) {
      let result: Result<Void, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      self.outcome.withLock { $0 = result }
    }
    while true {
      arrivals.wait()
      jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
      if let outcome = outcome.withLock({ $0 }) { return try outcome.get() }
    }
  }
}
