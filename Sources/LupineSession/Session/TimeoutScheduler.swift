import LupineCore
import Synchronization

/// Keeps the idle and total time-outs of a session's requests with one timer for all of them.
///
/// The timer is set to the earliest deadline; when it fires, every request still running is looked at once. A request
/// that ends before its deadline costs nothing.
final class TimeoutScheduler: Sendable {
  private struct State {
    var timer: ScheduledTimer?
    var wakeUp: Duration?
    /// Numbers the timers, so that one which another has overtaken does nothing.
    var turn: UInt64 = 0
  }

  private let clock: SessionClock
  private let state = Mutex(State())
  private let inspect: @Sendable (_ now: Duration) -> Duration?

  /// - Parameter inspect: ends what is overdue and returns the earliest deadline of the rest.
  init(clock: SessionClock, inspect: @escaping @Sendable (_ now: Duration) -> Duration?) {
    self.clock = clock
    self.inspect = inspect
  }

  deinit { state.withLock { $0.timer }?.cancel() }

  /// Makes sure that the watch looks at the deadline or before.
  func expect(_ deadline: Duration) {
    let turn = state.withLock { state -> UInt64? in
      guard state.wakeUp.map({ $0 > deadline }) ?? true else { return nil }
      state.wakeUp = deadline
      state.turn += 1
      return state.turn
    }
    if let turn { setTimer(deadline, turn) }
  }

  /// The timer is made outside the lock, since a clock may fire it at once; of two made at the same time the earlier stays.
  private func setTimer(_ deadline: Duration, _ turn: UInt64) {
    let timer = clock.schedule(max(.zero, deadline - clock.now())) { [weak self] in self?.fire(turn) }
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
