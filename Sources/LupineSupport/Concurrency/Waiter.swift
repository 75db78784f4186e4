import Synchronization

/// One task that waits for one value, which somebody else gives it; cancelling the task ends the wait.
public final class Waiter<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Value?, Never>)
    case settled(Value?)
  }

  private let state = Mutex(State.idle)

  /// Makes a waiter that nothing has woken.
  public init() {}

  /// Waits for the value, or for the end of the wait, which is `nil`; for one task alone.
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

  /// Gives the value; false where the wait is over already, so that somebody else can have it.
  @discardableResult
  public func resume(returning value: Value) -> Bool { settle(value) }

  /// Ends the wait; false where it is over already.
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
