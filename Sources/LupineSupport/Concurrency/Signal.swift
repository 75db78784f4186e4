import Synchronization

/// A flag that tasks can wait for.
public final class Signal: Sendable {
  private struct State {
    var isSet: Bool
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
    var nextWaiter = 0
  }

  private let state: Mutex<State>

  /// Makes a signal, which is not set by default.
  public init(isSet: Bool = false) { state = Mutex(State(isSet: isSet)) }

  /// Sets the signal and wakes the waiting tasks.
  public func set() {
    let waiters = state.withLock { state in
      state.isSet = true
      defer { state.waiters = [:] }
      // Sorted, so that a simulation wakes the tasks in the same order every time.
      return state.waiters.sorted { $0.key < $1.key }.map(\.value)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Clears the signal.
  public func clear() { state.withLock { $0.isSet = false } }

  /// Waits until the signal is set; returns early when the task is cancelled.
  public func wait() async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isSet || state.cancelled.remove(number) != nil { return true }
          state.waiters[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: number)
        if waiter == nil { state.cancelled.insert(number) }
        return waiter
      }
      waiter?.resume()
    }
    _ = state.withLock { $0.cancelled.remove(number) }
  }
}
