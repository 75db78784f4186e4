public import FoundationEssentials

/// A clock that can call an action at an instant without a sleeping task.
///
/// A virtual clock conforms to it. Timeouts then fire when its time passes their deadlines, and they do not advance its
/// time.
public protocol TimerClock: Clock where Duration == Swift.Duration {
  /// Calls `action` once when the clock's time reaches the deadline, unless the timer is cancelled before.
  func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer
}

/// A clock that also supplies the date.
///
/// A session whose builder gets such a clock takes its date from it. Cookies, tokens, certificates and a `Retry-After`
/// date then expire as the clock's time passes.
public protocol DatedClock: Clock where Duration == Swift.Duration {
  /// The current date, which advances with the clock's time.
  var date: Date { get }
}

/// A scheduled action of a clock.
public struct ScheduledTimer: Sendable {
  private let cancellation: @Sendable () -> Void

  /// Wraps the closure that cancels the action.
  public init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

  /// Cancels the action; has no effect after the deadline.
  public func cancel() { cancellation() }
}
