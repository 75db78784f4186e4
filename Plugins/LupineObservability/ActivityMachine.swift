import LupineCore

/// The transitions between the states of an activity.
struct ActivityMachine: Sendable {
  /// A delay that a state waits for.
  struct Wait: Sendable, Hashable {
    let number: Int
    let isForStart: Bool
  }

  /// A new state.
  struct Change: Sendable, Hashable {
    let state: NetworkActivity.State
    /// The delay after which the state changes by itself; `nil` if it does not.
    let wait: Wait?
  }

  private(set) var state = NetworkActivity.State.idle
  private var waitCount = 0

  /// Whether the end of this wait still changes the state.
  func isWaiting(for wait: Wait) -> Bool {
    wait.number == waitCount && state == (wait.isForStart ? .delayingStart : .delayingCompletion)
  }

  mutating func requestsChanged(areUnderWay: Bool) -> Change? {
    switch (state, areUnderWay) {
    case (.idle, true): enter(.delayingStart)
    case (.delayingStart, false): enter(.idle)
    case (.active, false): enter(.delayingCompletion)
    case (.delayingCompletion, true): enter(.active)
    default: nil
    }
  }

  mutating func waitEnded(_ wait: Wait) -> Change? {
    guard isWaiting(for: wait) else { return nil }
    return enter(wait.isForStart ? .active : .idle)
  }

  private mutating func enter(_ state: NetworkActivity.State) -> Change {
    self.state = state
    waitCount += 1
    let waits = state == .delayingStart || state == .delayingCompletion
    return Change(state: state, wait: waits ? Wait(number: waitCount, isForStart: state == .delayingStart) : nil)
  }
}
