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

/// The requests of one session that are under way.
struct RequestCount: Sendable {
  private var started: Set<RequestID> = []
  /// The suspended requests, also those that have not started.
  private var suspended: Set<RequestID> = []
  /// The number of requests that have started and are not suspended.
  private(set) var underWay = 0

  /// Whether there is no request, not even a suspended one.
  var isEmpty: Bool { started.isEmpty && suspended.isEmpty }

  mutating func receive(_ event: SessionEvent) {
    let request = event.request
    if isUnderWay(request) { underWay -= 1 }
    switch event.kind {
    case .started: started.insert(request)
    case .suspended: suspended.insert(request)
    case .resumed: suspended.remove(request)
    case .finished:
      // A request that is cancelled before its start finishes as well.
      started.remove(request)
      suspended.remove(request)
    default: break
    }
    if isUnderWay(request) { underWay += 1 }
  }

  private func isUnderWay(_ request: RequestID) -> Bool { started.contains(request) && !suspended.contains(request) }
}
