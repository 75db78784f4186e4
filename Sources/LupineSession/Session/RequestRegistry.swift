import LupineCore
import Synchronization

/// The running requests of a session, and the number of tasks that call handlers.
final class RequestRegistry: Sendable {
  private struct State {
    var running: [RequestID: RequestExecution] = [:]
    var deadlines = RequestDeadlines()
    /// The number of tasks that call handlers of ended requests.
    var deliveries = 0
    var closing: LupineError?
    var waiters: [CheckedContinuation<Void, Never>] = []

    var isIdle: Bool { running.isEmpty && deliveries == 0 }

    /// Removes and returns the waiters if the registry is idle; otherwise returns none.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      guard isIdle else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Mutex(State())

  var running: [RequestExecution] { state.withLock { $0.running.values.sorted { $0.id < $1.id } } }

  /// Adds a request.
  ///
  /// - Throws: the reason given to `close`, once `close` has been called.
  func insert(_ execution: RequestExecution) throws(LupineError) {
    let closing = state.withLock { state in
      if state.closing == nil { state.running[execution.id] = execution }
      return state.closing
    }
    if let closing { throw closing }
  }

  /// Removes a request that has ended.
  ///
  /// - Parameter isDelivered: whether a task calls the request's handlers from now on, until `endDelivery`.
  func remove(_ execution: RequestExecution, isDelivered: Bool) {
    let waiters = state.withLock { state in
      state.running[execution.id] = nil
      state.deadlines.remove(execution.id)
      if isDelivered { state.deliveries += 1 }
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Counts a task that calls handlers added after their request ended; `drained()` waits for it as well.
  func beginDelivery() { state.withLock { $0.deliveries += 1 } }

  func endDelivery() {
    let waiters = state.withLock { state in
      state.deliveries -= 1
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Refuses new requests, cancels the running requests with the reason, and waits until all have ended.
  func close(_ reason: LupineError) async {
    state.withLock { if $0.closing == nil { $0.closing = reason } }
    for execution in running { execution.cancel(reason) }
    await drained()
  }

  /// Waits until no request runs and no handler remains to be called.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.isIdle { state.waiters.append(continuation) }
        return state.isIdle
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// Records that a request has got a deadline; call it before the session's timer expects the deadline.
  func recordDeadline(of execution: RequestExecution) {
    state.withLock { state in
      let running = state.running
      state.deadlines.recordChange(of: execution.id, running: running.count) { running[$0] != nil }
    }
  }

  /// Ends the requests whose deadline has passed and returns the earliest deadline of the others.
  func endOverdue(now: Duration) -> Duration? {
    let due = state.withLock { state in state.deadlines.takeDue(now).compactMap { state.running[$0] } }
    for execution in due {
      let next = execution.timeLimits.check(now: now)
      state.withLock { if $0.running[execution.id] != nil { $0.deadlines.set(next, of: execution.id) } }
    }
    return state.withLock { $0.deadlines.earliest }
  }
}
