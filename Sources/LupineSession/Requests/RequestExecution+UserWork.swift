import HTTPTypes
import Synchronization

extension RequestExecution {
  /// Runs asynchronous code of the program; cancelling the request cancels it.
  ///
  /// The task starts on the caller's thread, without a hop if the code does not suspend.
  func interruptible<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task.immediate(executorPreference: session.configuration.executor) { try await work() }
    if state.withLock({ $0.begin { task.cancel() } }) { task.cancel() }
    defer { state.withLock { $0.endWork() } }
    return try await task.value
  }

  /// Runs the code in the same way.
  ///
  /// - Throws: the reason of the cancellation, if the request was cancelled and the code has failed.
  func interruptible<Value: Sendable>(
    throwing work: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    do {
      return try await interruptible { () async throws -> Value in try await work() }
    } catch {
      throw state.withLock { $0.cancellation } ?? (error as? LupineError ?? LupineError(.other, "\(error)"))
    }
  }

  /// Waits until the handlers have received every value.
  ///
  /// A cancellation or the total timeout cancels the handlers' tasks and ends the wait, because a handler or its queue
  /// may block.
  func finish(_ listeners: [Task<Void, Never>]) async {
    let (waiting, isOver) = AsyncStream.makeStream(of: Never.self)
    Task(executorPreference: session.configuration.executor) {
      for listener in listeners { await listener.value }
      isOver.finish()
    }
    try? await interruptible {
      await withTaskCancellationHandler {
        for await _ in waiting {}
      } onCancel: {
        for listener in listeners { listener.cancel() }
      }
    }
  }
}

extension RequestExecution {
  /// Passes an interim response to the listeners.
  func tellInterim(_ head: HTTPResponse) {
    for listener in state.withLock({ $0.settings.interimListeners }) { listener.hear(head) }
  }

  /// Removes and returns the listeners; they receive no more responses.
  func takeInterimListeners() -> [InterimListener] {
    state.withLock { state in
      let listeners = state.settings.interimListeners
      if !listeners.isEmpty { state.settings.interimListeners = [] }
      return listeners
    }
  }
}
