import Synchronization

/// A value with a lock; tasks and threads can wait until the value meets a condition.
final class Watched<Value: Sendable>: Sendable {
  private struct Waiter {
    let isMet: @Sendable (Value) -> Bool
    let wake: @Sendable (Result<Void, any Error>) -> Void
  }

  private struct State {
    var value: Value
    var waiters: [Int: Waiter] = [:]
    var lastIdentifier = 0
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  var value: Value {
    state.withLock { $0.value }
  }

  /// Changes the value, then wakes the waiters whose condition is met, outside the lock.
  func update<Answer: Sendable>(_ change: (inout Value) -> Answer) -> Answer {
    let (answer, woken) = state.withLock { state in
      let answer = change(&state.value)
      // Waiters wake in the order in which they began, so that a simulation is deterministic.
      let met = state.waiters.filter { $0.value.isMet(state.value) }.sorted { $0.key < $1.key }
      for (identifier, _) in met { state.waiters[identifier] = nil }
      return (answer, met.map(\.value.wake))
    }
    for wake in woken { wake(.success(())) }
    return answer
  }

  /// Suspends the task until the condition is met; throws `CancellationError` if the task is cancelled before.
  func wait(until isMet: @escaping @Sendable (Value) -> Bool) async throws {
    let identifier = nextIdentifier()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let waiter = Waiter(isMet: isMet) { continuation.resume(with: $0) }
        if let outcome = register(waiter, identifier) { continuation.resume(with: outcome) }
      }
    } onCancel: {
      remove(identifier)?.wake(.failure(CancellationError()))
    }
  }

  /// Blocks the thread until the condition is met, or until the socket's connection ends.
  ///
  /// - Returns: whether the condition was met.
  func block(hangup socket: Int32?, until isMet: @escaping @Sendable (Value) -> Bool) throws(SocketFailure) -> Bool {
    let wakeup = try Wakeup()
    let identifier = nextIdentifier()
    let waiter = Waiter(isMet: isMet) { _ in wakeup.signal() }
    let isMetAlready = state.withLock { state in
      let isMetAlready = isMet(state.value)
      if !isMetAlready { state.waiters[identifier] = waiter }
      return isMetAlready
    }
    if isMetAlready { return true }
    defer { _ = remove(identifier) }
    return wakeup.block(hangup: socket)
  }

  /// Adds a waiter; returns the outcome if there is nothing to wait for.
  ///
  /// If the task was cancelled before this call, the cancellation handler found no waiter. The call therefore checks
  /// for cancellation again.
  private func register(_ waiter: Waiter, _ identifier: Int) -> Result<Void, any Error>? {
    state.withLock { state in
      if waiter.isMet(state.value) { return .success(()) }
      if Task.isCancelled { return .failure(CancellationError()) }
      state.waiters[identifier] = waiter
      return nil
    }
  }

  private func remove(_ identifier: Int) -> Waiter? {
    state.withLock { $0.waiters.removeValue(forKey: identifier) }
  }

  private func nextIdentifier() -> Int {
    state.withLock { state in
      state.lastIdentifier += 1
      return state.lastIdentifier
    }
  }
}
