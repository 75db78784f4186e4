import Glibc
import LupineMock
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSupport

@Suite struct SessionClockTests {
  @Test func `a program's clock that does not sleep fires no timer in the stack of who sets it`() async {
    let fired = Signal()
    let isNested = setTimer(on: SessionClock(SleeplessClock()), fired)
    await fired.wait()
    #expect(isNested.all == [false])
  }

  @Test func `a sleep and a timer end at the time that they were given, although the clock advances meanwhile`()
    async throws
  {
    let base = HastyClock()
    let clock = SessionClock(base)
    let end = clock.now() + .seconds(1)
    #expect(clock.now() < end)
    try await clock.sleep(until: end)
    _ = clock.schedule(at: end) {}
    TimeoutScheduler(clock: clock) { _ in nil }.expect(end)
    #expect(base.deadlines.all == [end, end, end])
  }

  /// Sets a timer, and records whether it fires on the calling thread before `schedule` returns.
  private func setTimer(on clock: SessionClock, _ fired: Signal) -> Notes<Bool> {
    let (setter, isSet, isNested) = (pthread_self(), Notes<Void>(), Notes<Bool>())
    _ = clock.schedule(.seconds(1)) {
      isNested.add(isSet.all.isEmpty && pthread_equal(setter, pthread_self()) != 0)
      fired.set()
    }
    isSet.add(())
    return isNested
  }
}

/// A clock whose sleeps end at once, although its time does not advance.
private struct SleeplessClock: Clock {
  var now: VirtualInstant { VirtualInstant() }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {}
}

/// A clock whose time advances by 100 milliseconds at each reading; its sleeps end at once, and its timers never fire.
private final class HastyClock: TimerClock {
  private let time = Mutex(Duration.zero)
  /// The deadlines of the sleeps and timers.
  let deadlines = Notes<Duration>()

  var now: VirtualInstant {
    time.withLock { time in
      defer { time += .milliseconds(100) }
      return VirtualInstant(offset: time)
    }
  }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws { deadlines.add(deadline.offset) }

  func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    deadlines.add(deadline.offset)
    return ScheduledTimer {}
  }
}
