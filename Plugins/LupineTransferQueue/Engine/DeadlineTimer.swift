import LupineSession

/// The timer of the next deadline.
///
/// A deadline is a date, in milliseconds since 1970. The timer measures durations, and does not notice if someone sets the
/// date of the machine. So it fires every five minutes, and the queue compares the date again.
struct DeadlineTimer {
  private static let interval: Int64 = 5 * 60 * 1_000

  private var current: (deadline: Int64, timer: ScheduledTimer)?

  /// Calls the closure at the deadline, or in five minutes; does nothing if the timer of this deadline is set.
  ///
  /// - Parameters:
  ///   - deadline: `nil` for none.
  ///   - now: the date. It may be set meanwhile, so the closure compares it again.
  mutating func set(
    to deadline: Int64?, now: Int64, on clock: SessionClock, _ action: @escaping @Sendable () -> Void
  ) {
    guard deadline != current?.deadline else { return }
    cancel()
    current = deadline.map { deadline in
      (deadline, clock.schedule(.milliseconds(max(0, min(deadline - now, Self.interval))), action))
    }
  }

  mutating func cancel() {
    current?.timer.cancel()
    current = nil
  }
}
