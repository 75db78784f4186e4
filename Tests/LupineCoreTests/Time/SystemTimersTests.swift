import LupineSupport
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
    timers.schedule(.milliseconds(2)) { notes.add("cancelled") }.cancel()
    let set = timers.schedule(.milliseconds(4)) {
      notes.add("set")
      fired.set()
    }
    await fired.wait()
    set.cancel()
    #expect(notes.all == ["set"])
  }

  @Test func `a timer that an action sets fires as well`() async {
    let fired = Signal()
    _ = SystemTimers.continuous.schedule(.zero) {
      _ = SystemTimers.continuous.schedule(.milliseconds(1)) { fired.set() }
    }
    await fired.wait()
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
}
