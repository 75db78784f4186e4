import LupineCore
import LupineSupport
import Synchronization

/// An exchange that takes time and can be ended early.
final class MockExchange: Sendable {
  private struct State {
    var reason: LupineError?
    /// Cancels the running task of the exchange; `nil` if there is none.
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The reason for the early end; `nil` if there is none.
  var reason: LupineError? { state.withLock { $0.reason } }

  /// Ends the exchange early; the first reason is kept.
  ///
  /// The running task is cancelled synchronously, so that a clock whose timer ended the exchange does not advance
  /// further.
  func interrupt(_ reason: LupineError) {
    let cancel = state.withLock { state in
      if state.reason == nil { state.reason = reason }
      return state.cancel
    }
    cancel?()
  }

  /// Sets the running task, which is cancelled if the exchange ends early.
  func attach(_ task: Task<some Sendable, Never>) {
    let isOver = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.reason != nil
    }
    if isOver { task.cancel() }
  }

  /// Removes the task, which is done.
  func detach() { state.withLock { $0.cancel = nil } }

  /// Runs an operation in a task that is cancelled if the exchange ends early.
  ///
  /// - Throws: the reason for the early end, or the error of the operation.
  func run<Value: Sendable>(
    on executor: (any TaskExecutor)?, _ operation: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    let isAttached = Signal()
    let work = Task(executorPreference: executor) { () async -> Result<Value, LupineError> in
      // Without this wait, a clock that the operation advances could end the exchange before this task can be
      // cancelled, and then advance further.
      await isAttached.wait()
      do throws(LupineError) { return .success(try await operation()) } catch { return .failure(error) }
    }
    attach(work)
    isAttached.set()
    let result = await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
    detach()
    if let reason { throw reason }
    if Task.isCancelled { throw Self.cancelled }
    return try result.get()
  }

  static let cancelled = LupineError(.cancelled, "The request was cancelled.")
}
