public import Dispatch
import Synchronization

/// Lets one task wait for one value from another task; cancelling the task ends the wait.
public final class Waiter<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Value?, Never>)
    case settled(Value?)
  }

  private let state = Mutex(State.idle)

  /// Makes a waiter without a value.
  public init() {}

  /// Waits for the value; returns `nil` if the wait was ended; only one task may wait.
  public func value() async -> Value? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let settled = state.withLock { state -> Value?? in
          if case .settled(let value) = state { return .some(value) }
          state = .waiting(continuation)
          return .none
        }
        if let settled { continuation.resume(returning: settled) }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Provides the value; returns false if the wait is already over, so that another waiter can get the value.
  @discardableResult
  public func resume(returning value: Value) -> Bool { settle(value) }

  /// Ends the wait; returns false if it is already over.
  @discardableResult
  public func cancel() -> Bool { settle(nil) }

  private func settle(_ value: Value?) -> Bool {
    let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value?, Never>?) in
      switch state {
      case .settled: return (false, nil)
      case .idle:
        state = .settled(value)
        return (true, nil)
      case .waiting(let continuation):
        state = .settled(value)
        return (true, continuation)
      }
    }
    continuation?.resume(returning: value)
    return isFirst
  }
}

/// Calls handlers on the queue that the caller chose.
public enum Queueing {
  /// Calls the closure on the queue and returns after it; without a queue, calls the closure directly.
  public static func call(on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void) async {
    guard let queue else { return body() }
    await withUnsafeContinuation { continuation in
      queue.async {
        body()
        continuation.resume()
      }
    }
  }
}
