import LupineCore
import LupineSupport
import Synchronization

extension RequestExecution {
  /// The time limits of one request: its idle, attempt and total timeouts, and its deadline.
  ///
  /// The state of the request has the start times and the changed timeouts. The session's timer calls `check(now:)`. Any
  /// thread may call the methods.
  struct TimeLimits: Sendable {
    let execution: RequestExecution

    private var session: Session { execution.session }

    /// The timeouts from the request's description, or the session's.
    var timeouts: Timeouts {
      if case .success(let request) = execution.original, let own = request.timeouts { return own }
      return session.configuration.timeouts
    }

    /// Whether the request's description has its own timeouts; avoids a copy of the session's.
    private var hasOwnTimeouts: Bool {
      if case .success(let request) = execution.original { request.timeouts != nil } else { false }
    }

    /// Applies the timeouts that adapters or interceptors set, and schedules them if they differ from the described ones.
    ///
    /// If the attempt had no timeout before, its time starts now.
    func change(by request: OutgoingRequest) {
      let changed = request.timeouts ?? session.configuration.timeouts
      guard execution.state.withLock({ !$0.timing.alreadyApplies(changed, describedAs: timeouts) }) else { return }
      let now = session.clock.now()
      let (started, attempt) = execution.state.withLock { $0.timing.take(changed, now: now) }
      let deadlines = [
        changed.idle.map { now + $0 }, changed.total.map { started + $0 }, changed.attempt.map { attempt + $0 },
      ]
      if let first = deadlines.compactMap(\.self).min() { expect(first, now: now) }
    }

    /// Schedules a deadline; if it has passed, ends the overdue request at once, before anything more is sent.
    private func expect(_ deadline: Duration, now: Duration) {
      if deadline > now { expect(deadline) } else { _ = check(now: now) }
    }

    private func expect(_ deadline: Duration) {
      session.registry.recordDeadline(of: execution)
      session.watch.expect(deadline)
    }

    /// Records the start time and schedules the first deadline.
    ///
    /// - Returns: whether the request has no settings other than validators.
    @discardableResult
    func begin() -> Bool {
      let now = session.clock.now()
      let hasNoOverrides = execution.state.withLock { state in
        state.timing.started = now
        return state.settings.areDefault
      }
      let own = hasNoOverrides ? nil : takeOwnTimeouts()
      let usual = hasOwnTimeouts ? timeouts.first : session.firstBound
      if let first = own.map(\.first) ?? usual { expect(now + first, now: now) }
      if !hasNoOverrides, let deadline = execution.state.withLock({ $0.settings.deadline }) {
        expect(deadline, now: now)
      }
      return hasNoOverrides
    }

    /// Applies the timeouts that were set after the request was described; returns them, or `nil` if there are none.
    private func takeOwnTimeouts() -> Timeouts? {
      execution.state.withLock { state in
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
        return execution.cancel(LupineError(.invalidRequest, message))
      }
      execution.state.withLock { state in
        guard case .idle = state.phase else { return }
        state.settings.deadline = min(state.settings.deadline ?? now + left, now + left)
      }
    }

    /// The time of the clock at which the request must end, by its total timeout or its deadline; `nil` if it has neither.
    var endTime: Duration? {
      let (started, changed, deadline) = execution.state.withLock {
        ($0.timing.started, $0.timing.changedTimeouts, $0.settings.deadline)
      }
      return started.flatMap { TimedRequest.end(of: changed ?? timeouts, since: $0, deadline) }
    }

    /// Ends the request or attempt if it is overdue; otherwise returns the next deadline.
    ///
    /// If another attempt or exchange has begun since the state was read, its full time starts now. After an idle
    /// timeout, the idle time is not checked until another exchange begins.
    func check(now: Duration) -> Duration? {
      guard let timed = execution.state.withLock({ $0.timedRequest }) else { return nil }
      let timeouts = timed.changedTimeouts ?? timeouts
      if let reason = timed.reasonToEnd(timeouts, now: now) {
        execution.cancel(reason)
        return nil
      }
      let end = TimedRequest.end(of: timeouts, since: timed.started, timed.deadline)
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
        if isOver, let control, execution.state.withLock({ $0.stopIdleTimeout(of: control) }) {
          control.cancel(.timedOut(.idle, after: idle))
        } else {
          deadlines.append((isOver ? now : lastActive) + idle)
        }
      }
      return deadlines.compactMap(\.self).min()
    }

    /// Schedules the deadline of an attempt that begins.
    func beginAttempt(of request: OutgoingRequest) {
      guard let attempt = (request.timeouts ?? session.configuration.timeouts).attempt else { return }
      let now = session.clock.now()
      execution.state.withLock { $0.timing.beginAttemptTimeout(at: now) }
      expect(now + attempt)
    }

    /// Ends the attempt that began at the given time; `false` if it has already ended.
    ///
    /// The retriers then decide whether the request is retried.
    private func expireAttempt(begun: Duration, after bound: Duration) -> Bool {
      let reason = LupineError.timedOut(.attempt, after: bound)
      guard let ended = execution.state.withLock({ $0.expireAttempt(begun: begun, reason) }) else { return false }
      ended.control?.cancel(reason)
      for work in ended.works { work() }
      return true
    }

    /// Resumes the checks of the idle timeout for an exchange that begins after an idle timeout.
    func restartIdle() {
      let bounds = execution.state.withLock { $0.timing.changedTimeouts } ?? timeouts
      if let idle = bounds.idle { expect(session.clock.now() + idle) }
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
