import Glibc
package import LupineCore
import LupineTesting
import Testing

/// Measures the processor time of the turns of a transport's loop.
///
/// A task on the loop's executor reads the processor time whenever it runs, which is at least once a turn. Processor
/// time does not depend on other programs.
package struct TurnTimer: Sendable {
  package struct Times: Sendable {
    /// The processor time of the longest turn.
    package var longest = Duration.zero
    /// How often the task has run.
    package var count = 0
    /// Whether the task has always run on one thread, so that the times are those of the loop.
    package var isOfOneThread = true
  }

  private let task: Task<Times, Never>

  /// Starts the measurement, which keeps the loop from sleeping.
  package init(_ transport: any Transport) {
    task = Task(executorPreference: transport.loopExecutor) {
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
  package func stop() async -> Times {
    task.cancel()
    return await task.value
  }

  /// The processor time of the current thread.
  fileprivate static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension Transport {
  /// The processor time that the loop's thread has used; the loop must not have ended.
  package var loopTime: Duration {
    get async { await Task(executorPreference: loopExecutor) { TurnTimer.processorTime }.value }
  }
}

extension TurnTimer {
  /// The maximum processor time for which an exchange waits for others.
  private static let bound = Duration.milliseconds(50)
  /// The factor for the processor time under the thread sanitizer; 1 without it.
  private static let sanitizerFactor = dlsym(nil, "__tsan_init") == nil ? 1 : 10

  /// Ends the measurement, and checks that no exchange has waited longer than the bound.
  ///
  /// An exchange whose socket becomes ready waits for the rest of a turn of the loop, and at most for the whole next
  /// turn. So it waits for at most 50 ms if no turn takes more than 25 ms.
  package func checkTurns() async {
    let times = await stop()
    #expect(times.isOfOneThread && times.count > 20)
    #expect(times.longest * 2 <= Self.bound * Self.sanitizerFactor, "\(times)")
  }

  /// Makes exchanges with a server that answers, and checks the time of the turns meanwhile.
  package func checkNeighbour(on transport: any Transport) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let client = Client(transport)
    for _ in 1...20 { #expect(try await client.fetch(server.url).text == "x") }
    await checkTurns()
  }
}
