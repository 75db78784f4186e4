import Glibc
import LupineMock
import LupineSupport
import Synchronization
import Testing

@testable import LupineCore

/// Timers of the system's clocks.
@Suite(.timeLimit(.minutes(1))) struct SystemTimersTests {
  private static let both = [SystemTimers.continuous, .suspending]

  @Test(arguments: both.indices) func `a timer fires although the thread waits for a later one`(index: Int) async {
    let timers = Self.both[index]
    let (late, fired) = (Notes<Void>(), Signal())
    let timer = timers.schedule(.seconds(3_600)) { late.add(()) }
    _ = timers.schedule(.milliseconds(1)) { fired.set() }
    await fired.wait()
    timer.cancel()
    #expect(late.all.isEmpty)
  }

  @Test(arguments: both.indices) func `a timer that is set fires once, and a cancelled one never`(index: Int) async {
    let timers = Self.both[index]
    let (notes, fired) = (Notes<String>(), Signal())
    // This action runs on the thread of the timers, so the next one cannot fire before it is cancelled.
    _ = timers.schedule(.zero) {
      timers.schedule(.zero) { notes.add("cancelled") }.cancel()
      _ = timers.schedule(.milliseconds(1)) {
        notes.add("set")
        fired.set()
      }
    }
    await fired.wait()
    #expect(notes.all == ["set"])
  }

  @Test(arguments: [Duration.zero, .milliseconds(1), .seconds(-1)])
  func `a sleep ends by itself`(time: Duration) async throws {
    try await SystemTimers.continuous.sleep(time)
  }

  @Test(arguments: [Duration.seconds(3_600), .seconds(Int64.max)])
  func `a cancelled sleep ends at once, however long it was to be`(time: Duration) async {
    let sleeper = Task { try await SystemTimers.suspending.sleep(time) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `a thread that waits without a limit is woken`() async {
    let (alarm, woken) = (ThreadAlarm(), Signal())
    BlockingWork.start {
      alarm.wait(atMost: nil)
      woken.set()
    }
    alarm.set()
    await woken.wait()
    alarm.wait(atMost: .milliseconds(1))
  }

  // A process that may start no more threads

  /// Makes timers on a test's clock to which the system refuses the first threads.
  private static func timers(
    _ clock: TestClock, refusals: Int = .max, _ starts: Notes<Void> = Notes()
  ) -> SystemTimers {
    SystemTimers(
      readNanoseconds: { clock.now.offset.nanoseconds }, sleep: { try await clock.sleep(for: $0) },
      startThread: { (run) throws(SystemThread.Failure) in
        starts.add(())
        guard starts.all.count > refusals else { throw SystemThread.Failure(code: EAGAIN) }
        try SystemThread("test-timer", run).detach()
      })
  }

  @Test func `without a thread a timer fires after its delay`() async throws {
    let clock = TestClock()
    let timers = Self.timers(clock)
    let (cancelled, fired) = (Notes<Void>(), Signal())
    timers.schedule(.seconds(2)) { cancelled.add(()) }.cancel()
    _ = timers.schedule(.seconds(5)) { fired.set() }
    async let slept: Void = timers.sleep(.seconds(5))
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(5))
    await fired.wait()
    try await slept
    #expect(cancelled.all.isEmpty)
  }

  @Test func `without a thread a timeout is checked only at its deadline`() async {
    let clock = TestClock()
    let (checks, isOver) = (Notes<Duration>(), Signal())
    let scheduler = TimeoutScheduler(clock: SessionClock(clock, Self.timers(clock))) { now in
      checks.add(now)
      isOver.set()
      return nil
    }
    scheduler.expect(.seconds(30))
    await clock.waitForSleepers()
    #expect(checks.all.isEmpty)
    clock.advance(by: .seconds(30))
    await isOver.wait()
    #expect(checks.all == [.seconds(30)])
  }

  @Test func `a thread that was refused is started for a later timer`() async {
    let clock = TestClock()
    let starts = Notes<Void>()
    let timers = Self.timers(clock, refusals: 1, starts)
    let (first, second) = (Signal(), Signal())
    _ = timers.schedule(.seconds(1)) { first.set() }
    _ = timers.schedule(.zero) { second.set() }
    await second.wait()
    #expect(starts.all.count == 2)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await first.wait()
  }
}
