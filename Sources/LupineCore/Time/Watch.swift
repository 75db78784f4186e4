import Synchronization

/// Keeps the idle and total time-outs of a session's requests with one timer for all of them.
///
/// The timer is set to the earliest deadline; when it fires, every request still running is looked at once. A request
/// that ends before its deadline costs nothing.
final class Watch: Sendable {
  private struct State {
    var timer: ScheduledTimer?
    var wakeUp: Duration?
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
    let isEarlier = state.withLock { state in
      guard state.wakeUp.map({ $0 > deadline }) ?? true else { return false }
      state.wakeUp = deadline
      return true
    }
    if isEarlier { setTimer(deadline) }
  }

  private func setTimer(_ deadline: Duration) {
    let timer = clock.schedule(max(.zero, deadline - clock.now())) { [weak self] in self?.fire() }
    let old = state.withLock { state in
      defer { state.timer = timer }
      return state.timer
    }
    old?.cancel()
  }

  private func fire() {
    state.withLock { state in
      state.wakeUp = nil
      state.timer = nil
    }
    if let next = inspect(clock.now()) { expect(next) }
  }
}
