import Glibc
import LupineNative

/// Measures the processor time of the turns of a transport's loop.
///
/// A task on the loop's executor reads the processor time whenever it runs, which is at least once a turn. Processor
/// time does not depend on other programs.
struct TurnTimer: Sendable {
  struct Times: Sendable {
    /// The processor time of the longest turn.
    var longest = Duration.zero
    /// How often the task has run.
    var count = 0
    /// Whether the task has always run on one thread, so that the times are those of the loop.
    var isOfOneThread = true
  }

  private let task: Task<Times, Never>

  /// Starts the measurement, which keeps the loop from sleeping.
  init(_ transport: NativeTransport) {
    task = Task(executorPreference: transport.executor) {
      var times = Times()
      let thread = pthread_self()
      var last = Self.processorTime
      while !Task.isCancelled {
        await Task.yield()
        let now = Self.processorTime
        times.longest = max(times.longest, now - last)
        times.count += 1
        times.isOfOneThread = times.isOfOneThread && pthread_equal(thread, pthread_self()) != 0
        last = now
      }
      return times
    }
  }

  /// Ends the measurement; called before the transport is shut down.
  func stop() async -> Times {
    task.cancel()
    return await task.value
  }

  /// The processor time of the current thread.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
