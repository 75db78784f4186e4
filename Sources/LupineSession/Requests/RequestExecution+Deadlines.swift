import LupineCore
import LupineSupport
import Synchronization

extension RequestExecution {
  /// The timeouts from the request's description, or the session's.
  var timeouts: Timeouts {
    if case .success(let request) = original, let own = request.timeouts { return own }
    return session.configuration.timeouts
  }

  /// Whether the request's description has its own timeouts; avoids a copy of the session's.
  private var hasOwnTimeouts: Bool {
    if case .success(let request) = original { request.timeouts != nil } else { false }
  }

  /// Applies the timeouts that adapters or interceptors set, and schedules them if they differ from the described ones.
  ///
  /// If the attempt had no timeout before, its time starts now.
  func takeTimeouts(of request: OutgoingRequest) {
    let changed = request.timeouts ?? session.configuration.timeouts
    guard state.withLock({ !$0.timing.alreadyApplies(changed, describedAs: timeouts) }) else { return }
    let now = session.clock.now()
    let (started, attempt) = state.withLock { $0.timing.take(changed, now: now) }
    let deadlines = [
      changed.idle.map { now + $0 }, changed.total.map { started + $0 }, changed.attempt.map { attempt + $0 },
    ]
    if let first = deadlines.compactMap(\.self).min() { expect(first, now: now) }
  }

  /// Schedules a deadline; if it has passed, ends the overdue request at once, before anything more is sent.
  private func expect(_ deadline: Duration, now: Duration) {
    if deadline > now { expect(deadline) } else { _ = endIfOverdue(now: now) }
  }

  private func expect(_ deadline: Duration) {
    session.registry.recordDeadline(of: self)
    session.watch.expect(deadline)
  }

  /// Records the start time and schedules the first deadline.
  ///
  /// - Returns: whether the request has no settings other than validators.
  @discardableResult
  func watchDeadlines() -> Bool {
    let now = session.clock.now()
    let hasNoOverrides = state.withLock { state in
      state.timing.started = now
      return state.settings.areDefault
    }
    let own = hasNoOverrides ? nil : takeOwnTimeouts()
    let usual = hasOwnTimeouts ? timeouts.first : session.firstBound
    if let first = own.map(\.first) ?? usual { expect(now + first, now: now) }
    if !hasNoOverrides, let deadline = state.withLock({ $0.settings.deadline }) { expect(deadline, now: now) }
    return hasNoOverrides
  }

  /// Applies the timeouts that were set after the request was described; returns them, or `nil` if there are none.
  private func takeOwnTimeouts() -> Timeouts? {
    state.withLock { state in
      let timeouts = state.settings.options?.timeouts
      if let timeouts { state.timing.setTimeouts(timeouts) }
      return timeouts
    }
  }

  /// Sets a deadline, unless the request has started or has an earlier one.
  func setDeadline(_ instant: any InstantProtocol<Duration>) {
    let now = session.clock.now()
    guard let left = session.clock.time(until: instant) else {
      let message = "The deadline is an instant of \(type(of: instant)), not of the session's clock."
      return cancel(LupineError(.invalidRequest, message))
    }
    state.withLock { state in
      guard case .idle = state.phase else { return }
      state.settings.deadline = min(state.settings.deadline ?? now + left, now + left)
    }
  }

  /// The time of the clock at which the request must end, by its total timeout or its deadline; `nil` if it has neither.
  var endTime: Duration? {
    let (started, changed, deadline) = state.withLock {
      ($0.timing.started, $0.timing.changedTimeouts, $0.settings.deadline)
    }
    return started.flatMap { Self.end(of: changed ?? timeouts, since: $0, deadline) }
  }

  /// The instant at which the request must end; `nil` if its time has no limit.
  private static func end(of timeouts: Timeouts, since started: Duration, _ deadline: Duration?) -> Duration? {
    guard let total = timeouts.total else { return deadline }
    return min(started + total, deadline ?? started + total)
  }

  /// Ends the request or attempt if it is overdue; otherwise returns the next deadline.
  ///
  /// If another attempt or exchange has begun since the state was read, its full time starts now. After an idle
  /// timeout, the idle time is not checked until another exchange begins.
  func endIfOverdue(now: Duration) -> Duration? {
    guard let timed = state.withLock({ $0.timedRequest }) else { return nil }
    let timeouts = timed.changedTimeouts ?? timeouts
    let end = Self.end(of: timeouts, since: timed.started, timed.deadline)
    if let end, now >= end {
      cancel(Self.ended(by: timeouts.total, timed, now: now))
      return nil
    }
    if let issue = timeouts.issues.first {
      cancel(LupineError(.invalidRequest, "The request's timeouts are invalid: \(issue)."))
      return nil
    }
    let control = timed.exchange
    var deadlines = [end]
    if let attempt = timeouts.attempt, let attemptStarted = timed.attempt {
      let isOver = now >= attemptStarted + attempt
      if isOver, expireAttempt(begun: attemptStarted, after: attempt) { return end }
      deadlines.append((isOver ? now : attemptStarted) + attempt)
    }
    if let idle = timeouts.idle {
      let lastActive = control?.lastActivity(now: now) ?? now
      let isOver = control != nil && now >= lastActive + idle
      if isOver, let control, state.withLock({ $0.stopIdleTimeout(of: control) }) {
        control.cancel(Self.timedOut(.idle, after: idle))
      } else {
        deadlines.append((isOver ? now : lastActive) + idle)
      }
    }
    return deadlines.compactMap(\.self).min()
  }

  /// Schedules the deadline of an attempt that begins.
  func boundAttempt(of request: OutgoingRequest) {
    guard let attempt = (request.timeouts ?? session.configuration.timeouts).attempt else { return }
    let now = session.clock.now()
    state.withLock { $0.timing.beginAttemptTimeout(at: now) }
    expect(now + attempt)
  }

  /// Ends the attempt that began at the given time; `false` if it has already ended.
  ///
  /// The retriers then decide whether the request is retried.
  private func expireAttempt(begun: Duration, after bound: Duration) -> Bool {
    let reason = Self.timedOut(.attempt, after: bound)
    guard let ended = state.withLock({ $0.expireAttempt(begun: begun, reason) }) else { return false }
    ended.control?.cancel(reason)
    for work in ended.works { work() }
    return true
  }

  /// Resumes the checks of the idle timeout for an exchange that begins after an idle timeout.
  func restartIdleTimeout() {
    let bounds = state.withLock { $0.timing.changedTimeouts } ?? timeouts
    if let idle = bounds.idle { expect(session.clock.now() + idle) }
  }

  /// The error of a request that exceeds its deadline or its total timeout.
  private static func ended(by total: Duration?, _ timed: ExecutionState.TimedRequest, now: Duration) -> LupineError {
    guard let total, now >= timed.started + total else {
      let hasBegun = timed.deadline.map { $0 > timed.started } ?? true
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

extension Timeouts {
  /// The shorter of the idle and total timeouts.
  var first: Duration? { idle.map { min($0, total ?? $0) } ?? total }
}

extension SessionClock {
  /// Returns the time until an instant of this clock or of a system clock; `nil` for an instant of another clock.
  fileprivate func time(until instant: any InstantProtocol<Duration>) -> Duration? {
    // Without `self` the name also matches the C library's `time`, and the compiler does not open the existential.
    if let time = Self.time(until: instant, on: self.clock) { return time }
    return Self.time(until: instant, on: ContinuousClock()) ?? Self.time(until: instant, on: SuspendingClock())
  }

  private static func time<C: Clock>(
    until instant: any InstantProtocol<Duration>, on clock: C
  ) -> Duration? where C.Duration == Duration {
    (instant as? C.Instant).map { clock.now.duration(to: $0).bounded }
  }
}
