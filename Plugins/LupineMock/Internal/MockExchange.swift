import LupineCore
import LupineSupport
import Synchronization

/// An exchange that takes time, and what ends it early.
final class MockExchange: Sendable {
  private struct State {
    var reason: LupineError?
    /// Cancels the task that is at work for the exchange, where one is.
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Why it was ended early, once it was.
  var reason: LupineError? { state.withLock { $0.reason } }

  /// Ends it; the first reason counts.
  ///
  /// The task at work is cancelled there and then, so that a clock whose timer ended the exchange moves no further.
  func interrupt(_ reason: LupineError) {
    let cancel = state.withLock { state in
      if state.reason == nil { state.reason = reason }
      return state.cancel
    }
    cancel?()
  }

  /// Names the task that is at work, to be cancelled at the end.
  func attach(_ task: Task<some Sendable, Never>) {
    let isOver = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.reason != nil
    }
    if isOver { task.cancel() }
  }

  /// Lets go of the task, which is done.
  func detach() { state.withLock { $0.cancel = nil } }

  /// Runs an operation in a task that is cancelled when the exchange ends early.
  ///
  /// - Throws: the reason of the end, or what the operation threw.
  func run<Value: Sendable>(
    on executor: (any TaskExecutor)?, _ operation: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    let isAttached = Signal()
    let work = Task(executorPreference: executor) { () async -> Result<Value, LupineError> in
      // Else a clock that the operation moves could end the exchange before anybody can cancel this task, and move on.
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
