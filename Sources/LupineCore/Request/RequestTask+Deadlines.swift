import Synchronization

extension RequestTask {
  /// The bounds that hold for this request.
  var timeouts: Timeouts {
    (try? description.get())?.options.timeouts ?? session.configuration.timeouts
  }

  /// Notes the start and makes sure that somebody watches the deadlines.
  func watchDeadlines() {
    let timeouts = timeouts
    guard timeouts.idle != nil || timeouts.total != nil else { return }
    let now = session.clock.now()
    state.withLock { $0.started = now }
    if let earliest = [timeouts.idle, timeouts.total].compactMap({ $0 }).min() { session.watch.expect(now + earliest) }
  }

  /// Ends what is overdue; returns the next deadline otherwise.
  func endIfOverdue(now: Duration) -> Duration? {
    let timeouts = timeouts
    let (started, control) = state.withLock { ($0.started, $0.exchange) }
    if let total = timeouts.total, now >= started + total {
      cancel(Self.timedOut(.total, after: total))
      return nil
    }
    let totalDeadline = timeouts.total.map { started + $0 }
    guard let idle = timeouts.idle else { return totalDeadline }
    guard let control else { return [totalDeadline, now + idle].compactMap { $0 }.min() }
    let idleDeadline = control.lastActive + idle
    if now >= idleDeadline {
      control.cancel(Self.timedOut(.idle, after: idle))
      return totalDeadline
    }
    return [totalDeadline, idleDeadline].compactMap { $0 }.min()
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
