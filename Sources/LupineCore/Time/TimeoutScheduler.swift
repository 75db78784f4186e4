import Synchronization

/// Checks timeouts, such as the idle and total timeouts of a session's requests, with one timer for all of them.
///
/// The timer is set to the earliest deadline. When it fires, the scheduler checks every running request once. A request
/// that ends before its deadline needs no timer work.
// For the session, and for Core's background tasks; a plugin sets timers with `SessionClock.schedule`.
package final class TimeoutScheduler: Sendable {
  private struct State {
    var timer: ScheduledTimer?
    var wakeUp: Duration?
    /// The number of the current timer; a replaced timer does nothing when it fires.
    var turn: UInt64 = 0
  }

  private let clock: SessionClock
  private let state = Mutex(State())
  private let inspect: @Sendable (_ now: Duration) -> Duration?

  /// - Parameter inspect: ends what is overdue and returns the earliest deadline of the rest.
  package init(clock: SessionClock, inspect: @escaping @Sendable (_ now: Duration) -> Duration?) {
    self.clock = clock
    self.inspect = inspect
  }

  deinit { state.withLock { $0.timer }?.cancel() }

  /// Ensures that the timer fires at the deadline or earlier.
  package func expect(_ deadline: Duration) {
    let turn = state.withLock { state -> UInt64? in
      guard state.wakeUp.map({ $0 > deadline }) ?? true else { return nil }
      state.wakeUp = deadline
      state.turn += 1
      return state.turn
    }
    if let turn { setTimer(deadline, turn) }
  }

  /// Makes the timer outside the lock, because a clock may fire it at once.
  ///
  /// If two timers are made concurrently, the one with the earlier deadline stays.
  private func setTimer(_ deadline: Duration, _ turn: UInt64) {
    let timer = clock.schedule(at: deadline) { [weak self] in self?.fire(turn) }
    let superfluous = state.withLock { state -> ScheduledTimer? in
      guard state.turn == turn, state.wakeUp != nil else { return timer }
      defer { state.timer = timer }
      return state.timer
    }
    superfluous?.cancel()
  }

  private func fire(_ turn: UInt64) {
    let isCurrent = state.withLock { state in
      guard state.turn == turn else { return false }
      state.wakeUp = nil
      state.timer = nil
      return true
    }
    if isCurrent, let next = inspect(clock.now()) { expect(next) }
  }
}
