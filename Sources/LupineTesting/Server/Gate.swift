import LupineEventLoop
import Synchronization

/// Holds back a step of a script, or a test, until it is opened.
///
/// Use gates instead of sleeps to enforce an order: the script waits for a gate that the test opens, or opens a gate
/// that the test waits for. An open gate stays open.
///
/// ```swift
/// let gate = Gate()
/// let server = try ScriptedServer { _ in
///   [.head(status: 200, fields: ["Content-Length": "2"]), .wait(gate), .body([1, 2])]
/// }
/// ```
public final class Gate: Sendable {
  let state = Watched(false)

  /// Creates a closed gate.
  public init() {}

  /// Whether the gate is open.
  public var isOpen: Bool { state.value }

  /// Opens the gate for all current and later waiters; a second call does nothing.
  public func open() {
    state.update { $0 = true }
  }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func opened() async throws {
    try await state.wait { $0 }
  }

  /// Blocks the calling thread until the gate is open.
  ///
  /// Call it only on the test's own threads, never in a task. The handler of a server must reply with
  /// ``ScriptedReply/Step/wait(_:)`` instead, which also ends with the server.
  ///
  /// - Throws: ``SocketFailure`` if the process has no free file descriptor.
  public func blockUntilOpen() throws {
    _ = try state.block(hangup: nil) { $0 }
  }
}

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
    let wakeUp: WakeUp
    do throws(SystemError) { wakeUp = try WakeUp() } catch { throw SocketFailure("eventfd", code: error.code) }
    let identifier = nextIdentifier()
    let waiter = Waiter(isMet: isMet) { _ in wakeUp.signal() }
    let isMetAlready = state.withLock { state in
      let isMetAlready = isMet(state.value)
      if !isMetAlready { state.waiters[identifier] = waiter }
      return isMetAlready
    }
    if isMetAlready { return true }
    defer { _ = remove(identifier) }
    return wakeUp.block(hangup: socket)
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
