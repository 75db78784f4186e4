/// A clock on which a moment can be marked without a task that sleeps until it.
///
/// A virtual clock adopts this so that time-outs fire when its time is moved past them, and do not move it themselves.
public protocol TimerClock: Clock where Duration == Swift.Duration {
  /// Calls `action` once, when the clock's time reaches the deadline, unless it is cancelled before.
  func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer
}
