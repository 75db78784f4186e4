import Synchronization

/// The requests of a session that are running.
final class RequestRegistry: Sendable {
  private struct State {
    var tasks: [RequestID: RequestTask] = [:]
    var closing: LupineError?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var running: [RequestTask] { state.withLock { $0.tasks.values.sorted { $0.id < $1.id } } }

  /// Takes a request in.
  ///
  /// - Throws: the reason of `close`, once that was called.
  func insert(_ task: RequestTask) throws(LupineError) {
    let closing = state.withLock { state in
      if state.closing == nil { state.tasks[task.id] = task }
      return state.closing
    }
    if let closing { throw closing }
  }

  func remove(_ task: RequestTask) {
    let waiters = state.withLock { state in
      state.tasks[task.id] = nil
      guard state.tasks.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Refuses new requests, ends those that run, and waits until they have ended.
  func close(_ reason: LupineError) async {
    state.withLock { if $0.closing == nil { $0.closing = reason } }
    for task in running { task.cancel(reason) }
    await drained()
  }

  /// Waits until no request runs.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.tasks.isEmpty { state.waiters.append(continuation) }
        return state.tasks.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// Ends the requests whose time is over and returns the earliest deadline of the others.
  func endOverdue(now: Duration) -> Duration? {
    running.compactMap { $0.endIfOverdue(now: now) }.min()
  }
}
