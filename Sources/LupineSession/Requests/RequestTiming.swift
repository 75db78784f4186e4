import LupineCore
import LupineSupport

/// The start times of a request and its attempt, and its changed timeouts.
struct RequestTiming {
  /// The start time of the request, on the session's clock.
  var started: Duration?
  /// The timeouts that a modifier, an adapter or an interceptor set instead of the described ones.
  private(set) var changedTimeouts: Timeouts?
  /// The start time of the running attempt, if it has a timeout.
  private var attemptStarted: Duration?
  /// The error of the running attempt, if it has timed out.
  private(set) var attemptEnd: LupineError?

  /// The start time of the running attempt, if it has a timeout that has not passed.
  var timedAttempt: Duration? { attemptEnd == nil ? attemptStarted : nil }

  /// Replaces the described timeouts before the request starts.
  mutating func setTimeouts(_ timeouts: Timeouts) { changedTimeouts = timeouts }

  /// Begins an attempt, which has no timeout yet.
  mutating func beginAttempt() { setAttemptStart(nil) }

  mutating func beginAttemptTimeout(at now: Duration) { setAttemptStart(now) }

  private mutating func setAttemptStart(_ start: Duration?) {
    attemptStarted = start
    attemptEnd = nil
  }

  /// Ends the attempt; returns the reason if it was ended early.
  mutating func endAttempt() -> LupineError? {
    defer { setAttemptStart(nil) }
    return attemptEnd
  }

  /// Ends the attempt that began at the given time; `false` if it has already ended.
  mutating func expireAttempt(begun: Duration, _ reason: LupineError) -> Bool {
    guard timedAttempt == begun else { return false }
    attemptEnd = reason
    return true
  }

  /// Whether these timeouts already apply.
  func alreadyApplies(_ timeouts: Timeouts, describedAs described: Timeouts) -> Bool {
    (changedTimeouts ?? described) == timeouts && (timeouts.attempt == nil || attemptStarted != nil)
  }

  /// Replaces the described timeouts; returns the start times of the request and its attempt.
  mutating func take(_ timeouts: Timeouts, now: Duration) -> (started: Duration, attempt: Duration) {
    changedTimeouts = timeouts
    if timeouts.attempt != nil, attemptStarted == nil { attemptStarted = now }
    return (started ?? now, attemptStarted ?? now)
  }
}
