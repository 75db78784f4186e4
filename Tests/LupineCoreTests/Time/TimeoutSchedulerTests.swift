@testable import LupineMock
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct TimeoutSchedulerTests {
  @Test func `it looks at the earliest deadline`() {
    let clock = TestClock()
    let looks = Notes<Duration>()
    let watch = TimeoutScheduler(clock: SessionClock(clock)) { now in
      looks.add(now)
      return nil
    }
    watch.expect(.seconds(10))
    watch.expect(.seconds(5))
    watch.expect(.seconds(7))
    clock.advance(by: .seconds(20))
    #expect(looks.all == [.seconds(5)])
  }

  @Test func `it looks again when the inspection asks for it`() {
    let clock = TestClock()
    let looks = Notes<Duration>()
    let watch = TimeoutScheduler(clock: SessionClock(clock)) { now in
      looks.add(now)
      return now < .seconds(9) ? now + .seconds(3) : nil
    }
    watch.expect(.seconds(3))
    clock.advance(by: .seconds(30))
    #expect(looks.all == [.seconds(3), .seconds(6), .seconds(9)])
  }

  @Test func `a deadline that is set while an earlier one is being set does not put it off`() {
    let clock = InterruptedClock()
    let looks = Notes<Duration>()
    let watch = TimeoutScheduler(clock: SessionClock(clock)) { now in
      looks.add(now)
      return nil
    }
    // The timer of the later deadline is created first and stored last.
    clock.onSchedule = { watch.expect(.seconds(5)) }
    watch.expect(.seconds(10))
    clock.base.advance(by: .seconds(6))
    #expect(looks.all == [.seconds(5)])
  }

  @Test func `a clock that fires at once does not hang it`() {
    let clock = EagerClock()
    let looks = Notes<Duration>()
    let watch = TimeoutScheduler(clock: SessionClock(clock)) { now in
      looks.add(now)
      return nil
    }
    watch.expect(.seconds(1))
    watch.expect(.seconds(1))
    #expect(looks.all.count == 2)
  }

  @Test func `its timer is released with it`() {
    let clock = TestClock()
    let looks = Notes<Duration>()
    do {
      let watch = TimeoutScheduler(clock: SessionClock(clock)) { now in
        looks.add(now)
        return nil
      }
      watch.expect(.seconds(1))
    }
    clock.advance(by: .seconds(2))
    #expect(looks.all.isEmpty)
  }
}

/// A clock whose `schedule` calls `onSchedule`, once, before it returns.
private final class InterruptedClock: TimerClock {
  let base = TestClock()
  private let action = Mutex<(@Sendable () -> Void)?>(nil)

  var onSchedule: (@Sendable () -> Void)? {
    get { action.withLock { $0 } }
    set { action.withLock { $0 = newValue } }
  }

  var now: VirtualInstant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }

  func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let timer = base.schedule(at: deadline, action)
    let interruption = self.action.withLock { action in
      defer { action = nil }
      return action
    }
    interruption?()
    return timer
  }
}
