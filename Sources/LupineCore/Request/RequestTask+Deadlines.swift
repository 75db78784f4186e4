import Synchronization

extension RequestTask {
  /// The bounds that hold for this request.
  var timeouts: Timeouts {
    (try? description.get())?.options.timeouts ?? session.configuration.timeouts
  }

  /// Notes the start and makes sure that somebody watches the deadlines.
  func watchDeadlines() {
    let timeouts = timeouts
    let now = session.clock.now()
    state.withLock { $0.started = now }
    guard let first = timeouts.idle ?? timeouts.total else { return }
    session.watch.expect(now + min(first, timeouts.total ?? first))
  }

  /// How long the request may still take; `nil` where its time has no bound.
  var timeLeft: Duration? {
    guard let total = timeouts.total, let started = state.withLock({ $0.started }) else { return nil }
    return max(.zero, started + total - session.clock.now())
  }

  /// Ends what is overdue; returns the next deadline otherwise.
  ///
  /// A request whose exchange was idle too long is looked at no more, until it begins another.
  func endIfOverdue(now: Duration) -> Duration? {
    guard let (started, control) = state.withLock({ $0.underWatch }) else { return nil }
    let timeouts = timeouts
    if let total = timeouts.total, now >= started + total {
      cancel(Self.timedOut(.total, after: total))
      return nil
    }
    let totalDeadline = timeouts.total.map { started + $0 }
    guard let idle = timeouts.idle else { return totalDeadline }
    let idleDeadline = (control?.lastActive ?? now) + idle
    if let control, now >= idleDeadline {
      state.withLock { $0.isUnwatched = true }
      control.cancel(Self.timedOut(.idle, after: idle))
      return totalDeadline
    }
    return min(totalDeadline ?? idleDeadline, idleDeadline)
  }

  /// Watches an exchange that begins after one that was idle too long.
  func watchAgain() {
    if let idle = timeouts.idle { session.watch.expect(session.clock.now() + idle) }
  }

  private static func timedOut(_ timeout: LupineError.Timeout, after bound: Duration) -> LupineError {
    switch timeout {
    case .total:
      LupineError(.timedOut(.total), "The request took longer than its total timeout of \(bound.milliseconds).")
    default:
      LupineError(.timedOut(timeout), "No byte moved for \(bound.milliseconds), the \(timeout.rawValue) timeout.")
    }
  }
}
