import Glibc
import LupineMock
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
