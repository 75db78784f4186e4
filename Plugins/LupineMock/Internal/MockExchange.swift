import LupineCore
import Synchronization

/// An exchange that takes time, and what ends it early.
final class MockExchange: Sendable {
  private struct State {
    var reason: LupineError?
    var delivery: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let interrupted = Signal()

  /// Why it was ended early, once it was.
  var reason: LupineError? { state.withLock { $0.reason } }

  /// Ends it; the first reason counts.
  func interrupt(_ reason: LupineError) {
    let delivery = state.withLock { state in
      if state.reason == nil { state.reason = reason }
      return state.delivery
    }
    interrupted.set()
    delivery?.cancel()
  }

  /// Names the task that delivers the body, to be cancelled at the end.
  func attach(_ delivery: Task<Void, Never>) {
    let isOver = state.withLock { state in
      state.delivery = delivery
      return state.reason != nil
    }
    if isOver { delivery.cancel() }
  }

  /// Lets go of the delivery, which is done.
  func detach() { state.withLock { $0.delivery = nil } }

  /// Runs an operation in a child task that is cancelled when the exchange ends early.
  ///
  /// - Throws: the reason of the end, or what the operation threw.
  func run<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    let result = await withTaskGroup(of: Result<Value, LupineError>?.self) { group in
      group.addTask {
        do throws(LupineError) { return .success(try await operation()) } catch { return .failure(error) }
      }
      group.addTask { [interrupted] in
        await interrupted.wait()
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      let second = await group.next() ?? nil
      return first ?? second
    }
    if let reason { throw reason }
    guard let result, !Task.isCancelled else { throw Self.cancelled }
    return try result.get()
  }

  static let cancelled = LupineError(.cancelled, "The request was cancelled.")
}
