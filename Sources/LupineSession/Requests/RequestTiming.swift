import LupineCore
import LupineSupport

/// The start times of a request and its attempt, and its changed timeouts.
struct RequestTiming {
  /// The start time of the request, on the session's clock.
  var started: Duration?
  /// Stored indirectly: few requests have an attempt timeout or change their timeouts.
  private var changes: CopyOnWrite<Changes>?

  private struct Changes {
    /// The timeouts that a modifier, an adapter or an interceptor set instead of the described ones.
    var timeouts: Timeouts?
    /// The start time of the running attempt, if it has a timeout.
    var attemptStarted: Duration?
    /// The error of the running attempt, if it has timed out.
    var attemptEnd: LupineError?
  }

  /// Whether the attempt has had no timeout, and the described timeouts have not been changed.
  var isPlain: Bool { changes == nil }

  /// The timeouts that a modifier, an adapter or an interceptor set instead of the described ones.
  var changedTimeouts: Timeouts? { changes?.value.timeouts }

  /// The error of the running attempt, if it has timed out.
  var attemptEnd: LupineError? { changes?.value.attemptEnd }

  private var attemptStarted: Duration? { changes?.value.attemptStarted }

  /// The start time of the running attempt, if it has a timeout that has not passed.
  var watchedAttempt: Duration? { attemptEnd == nil ? attemptStarted : nil }

  private mutating func change(_ change: (inout Changes) -> Void) { changes.change(from: Changes(), change) }

  /// Replaces the described timeouts before the request starts.
  mutating func setTimeouts(_ timeouts: Timeouts) { change { $0.timeouts = timeouts } }

  /// Begins an attempt, which has no timeout yet.
  mutating func beginAttempt() { if changes != nil { setAttemptStart(nil) } }

  mutating func beginAttemptTimeout(at now: Duration) { setAttemptStart(now) }

  private mutating func setAttemptStart(_ start: Duration?) {
    change {
      $0.attemptStarted = start
      $0.attemptEnd = nil
    }
  }

  /// Ends the attempt; returns the reason if it was ended early.
  mutating func endAttempt() -> LupineError? {
    let end = attemptEnd
    beginAttempt()
    return end
  }

  /// Ends the attempt that began at the given time; `false` if it has already ended.
  mutating func expireAttempt(begun: Duration, _ reason: LupineError) -> Bool {
    guard watchedAttempt == begun else { return false }
    change { $0.attemptEnd = reason }
    return true
  }

  /// Whether these timeouts already apply.
  func keeps(to timeouts: Timeouts, describedAs described: Timeouts) -> Bool {
    (changedTimeouts ?? described) == timeouts && (timeouts.attempt == nil || attemptStarted != nil)
  }

  /// Replaces the described timeouts; returns the start times of the request and its attempt.
  mutating func take(_ timeouts: Timeouts, now: Duration) -> (started: Duration, attempt: Duration) {
    change {
      $0.timeouts = timeouts
      if timeouts.attempt != nil, $0.attemptStarted == nil { $0.attemptStarted = now }
    }
    return (started ?? now, attemptStarted ?? now)
  }
}
