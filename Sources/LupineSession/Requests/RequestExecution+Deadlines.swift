import LupineCore
import LupineSupport
import Synchronization

extension RequestExecution {
  /// The bounds that the program described.
  var timeouts: Timeouts {
    if case .success(let request) = description, let own = request.timeouts { return own }
    return session.configuration.timeouts
  }

  /// Whether the program described bounds of the request's own; most have the session's, which cost no copy then.
  private var hasOwnTimeouts: Bool {
    if case .success(let request) = description { request.hasTimeouts } else { false }
  }

  /// Takes the bounds of the request as adapters or interceptors have made it, and has them watched where they are others
  /// than the program described.
  ///
  /// The time of an attempt that had no bound is counted from here on.
  func takeTimeouts(of request: OutgoingRequest) {
    let changed = request.timeouts ?? session.configuration.timeouts
    guard state.withLock({ !$0.keeps(to: changed, describedAs: timeouts) }) else { return }
    let now = session.clock.now()
    let (started, attempt) = state.withLock { $0.take(changed, now: now) }
    let deadlines = [
      changed.idle.map { now + $0 }, changed.total.map { started + $0 }, changed.attempt.map { attempt + $0 },
    ]
    if let first = deadlines.compactMap(\.self).min() { expect(first, now: now) }
  }

  /// Has a deadline watched; where it has passed, what is overdue ends at once, before anything more is sent.
  private func expect(_ deadline: Duration, now: Duration) {
    if deadline > now { session.watch.expect(deadline) } else { _ = endIfOverdue(now: now) }
  }

  /// Notes the start and makes sure that somebody watches the deadlines.
  ///
  /// - Returns: whether the request was given nothing but validators.
  @discardableResult
  package func watchDeadlines() -> Bool {
    let now = session.clock.now()
    let hasNoOverrides = state.withLock { state in
      state.started = now
      return state.settings.areDefault
    }
    let own = hasNoOverrides ? nil : state.withLock { $0.takeOwnTimeouts() }
    let usual = hasOwnTimeouts ? timeouts.first : session.firstBound
    if let first = own.map(\.first) ?? usual { expect(now + first, now: now) }
    if !hasNoOverrides, let deadline = state.withLock({ $0.settings.deadline }) { expect(deadline, now: now) }
    return hasNoOverrides
  }

  /// Keeps a deadline, unless the request has begun or has an earlier one.
  func setDeadline(_ instant: any InstantProtocol<Duration>) {
    let now = session.clock.now()
    guard let left = session.clock.time(until: instant) else {
      let message = "The deadline is an instant of \(type(of: instant)), which is not of the session's clock."
      return cancel(LupineError(.invalidRequest, message))
    }
    state.withLock { state in
      guard case .idle = state.phase else { return }
      state.settings.deadline = min(state.settings.deadline ?? now + left, now + left)
    }
  }

  /// How long the request may still take; `nil` where its time has no bound.
  var timeLeft: Duration? {
    let (started, changed, deadline) = state.withLock { ($0.started, $0.changedTimeouts, $0.settings.deadline) }
    guard let started, let end = Self.end(of: changed ?? timeouts, since: started, deadline) else { return nil }
    return max(.zero, end - session.clock.now())
  }

  /// When the request must have ended; `nil` where its time has no bound.
  private static func end(of timeouts: Timeouts, since started: Duration, _ deadline: Duration?) -> Duration? {
    guard let total = timeouts.total else { return deadline }
    return min(started + total, deadline ?? started + total)
  }

  /// Ends what is overdue; returns the next deadline otherwise.
  ///
  /// Where another attempt or exchange has begun since it was read what is overdue, that one has its whole time from now on.
  /// A request whose exchange was idle too long is looked at no more, until it begins another.
  func endIfOverdue(now: Duration) -> Duration? {
    guard let watched = state.withLock({ $0.underWatch }) else { return nil }
    let timeouts = watched.changedTimeouts ?? timeouts
    let end = Self.end(of: timeouts, since: watched.started, watched.deadline)
    if let end, now >= end {
      cancel(Self.ended(by: timeouts.total, watched, now: now))
      return nil
    }
    if let fault = timeouts.faults.first {
      cancel(LupineError(.invalidRequest, "The request's timeouts cannot be kept: \(fault)."))
      return nil
    }
    let control = watched.exchange
    var deadlines = [end]
    if let attempt = timeouts.attempt, let attemptStarted = watched.attempt {
      let isOver = now >= attemptStarted + attempt
      if isOver, expireAttempt(begun: attemptStarted, after: attempt) { return end }
      deadlines.append((isOver ? now : attemptStarted) + attempt)
    }
    if let idle = timeouts.idle {
      let lastActive = control.map { $0.isHeldBack ? now : $0.lastActive } ?? now
      let isOver = control != nil && now >= lastActive + idle
      if isOver, let control, state.withLock({ $0.leaveUnwatched(control) }) {
        control.cancel(Self.timedOut(.idle, after: idle))
      } else {
        deadlines.append((isOver ? now : lastActive) + idle)
      }
    }
    return deadlines.compactMap(\.self).min()
  }

  /// Has the deadline of an attempt that begins watched.
  func boundAttempt(of request: OutgoingRequest) {
    // Few requests have such a deadline, and reading a clock costs as much as much of the rest.
    guard request.hasTimeouts || session.boundsAttempts else { return }
    guard let attempt = (request.timeouts ?? session.configuration.timeouts).attempt else { return }
    let now = session.clock.now()
    state.withLock { $0.beginAttempt(at: now) }
    session.watch.expect(now + attempt)
  }

  /// Ends the attempt that began then, whatever it waits for; false where it is over already.
  ///
  /// What becomes of the request is for its retriers to say.
  private func expireAttempt(begun: Duration, after bound: Duration) -> Bool {
    let reason = Self.timedOut(.attempt, after: bound)
    guard let ended = state.withLock({ $0.expireAttempt(begun: begun, reason) }) else { return false }
    ended.control?.cancel(reason)
    for work in ended.works { work() }
    return true
  }

  /// Watches an exchange that begins after one that was idle too long.
  func watchAgain() {
    let bounds = state.withLock { $0.changedTimeouts } ?? timeouts
    if let idle = bounds.idle { session.watch.expect(session.clock.now() + idle) }
  }

  /// What a request ends with whose time as a whole is over: by its deadline, or by its total timeout.
  private static func ended(by total: Duration?, _ watched: RequestState.Watched, now: Duration) -> LupineError {
    guard let total, now >= watched.started + total else {
      let hasBegun = watched.deadline.map { $0 > watched.started } ?? true
      return LupineError(
        .timedOut(.total), "The request's deadline \(hasBegun ? "passed" : "had passed before it began").")
    }
    guard total > .zero else {
      return LupineError(
        .timedOut(.total), "No time was left to the request when it began: its total timeout is \(total.milliseconds).")
    }
    return timedOut(.total, after: total)
  }

  private static func timedOut(_ timeout: LupineError.Timeout, after bound: Duration) -> LupineError {
    switch timeout {
    case .total:
      LupineError(.timedOut(.total), "The request took longer than its total timeout of \(bound.milliseconds).")
    case .attempt:
      LupineError(.timedOut(.attempt), "The attempt took longer than its timeout of \(bound.milliseconds).")
    default:
      LupineError(
        .timedOut(timeout),
        "Neither the request nor the response made progress for \(bound.milliseconds), the \(timeout.rawValue) timeout."
      )
    }
  }
}
