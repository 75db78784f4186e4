import LupineCore
import LupineMock
import LupineSupport
import Synchronization

/// A `TestClock` that lets a test wait until timers are set.
final class AnnouncingClock: TimerClock {
  let base = TestClock()
  private let state = Mutex<(count: Int, watched: Int, signal: Signal)>((0, 0, Signal()))

  var now: VirtualInstant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }

  func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let timer = base.schedule(at: deadline, action)
    let signal = state.withLock { state -> Signal? in
      state.count += 1
      return state.count == state.watched ? state.signal : nil
    }
    signal?.set()
    return timer
  }

  /// Waits until this number of timers has been set since the start.
  func waitForTimers(_ count: Int) async {
    let signal = state.withLock { state in
      state = (state.count, count, Signal(isSet: state.count >= count))
      return state.signal
    }
    await signal.wait()
  }
}
