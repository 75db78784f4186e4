public import FoundationEssentials

/// A clock on which a moment can be marked without a task that sleeps until it.
///
/// A virtual clock adopts this so that time-outs fire when its time is moved past them, and do not move it themselves.
public protocol TimerClock: Clock where Duration == Swift.Duration {
  /// Calls `action` once, when the clock's time reaches the deadline, unless it is cancelled before.
  func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer
}

/// A clock that tells the date, too.
///
/// A session whose builder is given one takes its date from it, so that what is dated ends as the clock's time passes:
/// cookies, tokens, certificates, a `Retry-After` with a date.
public protocol DatedClock: Clock where Duration == Swift.Duration {
  /// The date, which moves with the clock's time.
  var date: Date { get }
}

/// A moment that was marked on a clock.
public struct ScheduledTimer: Sendable {
  private let cancellation: @Sendable () -> Void

  /// Wraps what takes the mark away.
  public init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

  /// Takes the mark away; nothing happens where it has passed.
  public func cancel() { cancellation() }
}
