import Synchronization

extension RequestTask {
  /// The bounds that hold for this request.
  var timeouts: Timeouts {
    if case .success(let request) = description, let own = request.timeouts { return own }
    return session.configuration.timeouts
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
    guard let (started, attemptStarted, control) = state.withLock({ $0.underWatch }) else { return nil }
    let timeouts = timeouts
    if let total = timeouts.total, now >= started + total {
      cancel(Self.timedOut(.total, after: total))
      return nil
    }
    var deadlines = [timeouts.total.map { started + $0 }]
    if let attempt = timeouts.attempt, let attemptStarted {
      guard now < attemptStarted + attempt else {
        expireAttempt(after: attempt)
        return timeouts.total.map { started + $0 }
      }
      deadlines.append(attemptStarted + attempt)
    }
    if let idle = timeouts.idle {
      let deadline = (control?.lastActive ?? now) + idle
      if let control, now >= deadline {
        state.withLock { $0.isUnwatched = true }
        control.cancel(Self.timedOut(.idle, after: idle))
      } else {
        deadlines.append(deadline)
      }
    }
    return deadlines.compactMap(\.self).min()
  }

  /// Notes that an attempt begins, and has its deadline watched.
  func beginAttempt() {
    // Few requests have such a deadline, and reading a clock costs as much as much of the rest.
    guard let attempt = timeouts.attempt else { return state.withLock { $0.beginAttempt(at: nil) } }
    let now = session.clock.now()
    state.withLock { $0.beginAttempt(at: now) }
    session.watch.expect(now + attempt)
  }

  /// Ends the attempt, whatever it waits for; what becomes of the request is for its retriers to say.
  private func expireAttempt(after bound: Duration) {
    let reason = Self.timedOut(.attempt, after: bound)
    guard let ended = state.withLock({ $0.expireAttempt(reason) }) else { return }
    state.withLock { $0.isUnwatched = true }
    ended.control?.cancel(reason)
    for work in ended.works { work() }
  }

  /// Watches an exchange that begins after one that was idle too long.
  func watchAgain() {
    if let idle = timeouts.idle { session.watch.expect(session.clock.now() + idle) }
  }

  private static func timedOut(_ timeout: LupineError.Timeout, after bound: Duration) -> LupineError {
    switch timeout {
    case .total:
      LupineError(.timedOut(.total), "The request took longer than its total timeout of \(bound.milliseconds).")
    case .attempt:
      LupineError(.timedOut(.attempt), "The attempt took longer than its timeout of \(bound.milliseconds).")
    default:
      LupineError(.timedOut(timeout), "No byte moved for \(bound.milliseconds), the \(timeout.rawValue) timeout.")
    }
  }
}
