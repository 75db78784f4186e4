import LupineSession
import Synchronization

/// A clock that advances by a step each time that it is read.
final class SteppingClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let state = Mutex((now: Duration.zero, step: Duration.zero))

  var step: Duration {
    get { state.withLock { $0.step } }
    set { state.withLock { $0.step = newValue } }
  }

  var now: Instant {
    state.withLock { state in
      state.now += state.step
      return Instant(offset: state.now)
    }
  }

  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
