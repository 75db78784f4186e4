import LupineCore
import LupineSupport
import Synchronization

/// A bound on the bytes per second of all transfers together.
///
/// Each piece of a body moves at a turn. The next turn comes after the time that the piece takes at this rate, so the
/// average is exact for pieces of any size.
final class BytePace: Sendable {
  private let rate: Double
  private let clock: SessionClock
  private let turn: Mutex<Duration>

  /// - Parameter rate: bytes per second; at least 1.
  init(_ rate: Int, clock: SessionClock) {
    self.rate = Double(max(1, rate))
    self.clock = clock
    turn = Mutex(clock.now())
  }

  /// The time at which the next piece may move; in the past if it may move now.
  var nextTurn: Duration { turn.withLock { $0 } }

  /// Counts bytes that have moved; returns the time of the next turn.
  @discardableResult
  func count(_ bytes: Int) -> Duration {
    let now = clock.now()
    let duration = Duration.seconds(Double(bytes) / rate)
    return turn.withLock { turn in
      turn = max(turn, now) + duration
      return turn
    }
  }

  /// Whether a time has come.
  func isReached(_ time: Duration) -> Bool { time <= clock.now() }

  /// Waits until the next turn; throws if the task is cancelled.
  ///
  /// Bytes that others move meanwhile do not prolong it.
  func wait() async throws {
    let turn = nextTurn
    if !isReached(turn) { try await clock.sleep(until: turn) }
  }

  /// Calls the action at a time, unless the timer is cancelled before.
  func schedule(at time: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    clock.schedule(at: time, action)
  }
}
