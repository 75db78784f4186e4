import HTTPTypes
import Synchronization

extension RequestExecution {
  /// Runs a program's own async code so that cancelling the request cancels it too.
  ///
  /// The task begins on the caller's thread and costs no hop where the code does not suspend.
  func interruptible<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task.immediate(executorPreference: session.configuration.executor) { try await work() }
    if state.withLock({ $0.begin { task.cancel() } }) { task.cancel() }
    defer { state.withLock { $0.endWork() } }
    return try await task.value
  }

  /// Waits until handlers have had all that they are told.
  ///
  /// A cancellation, or the total timeout, cancels their tasks and ends the wait: a handler, or its queue, may never come
  /// back.
  package func finish(_ listeners: [Task<Void, Never>]) async {
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
  /// Hands an interim response to whoever listens.
  func tellInterim(_ head: HTTPResponse) {
    for listener in state.withLock({ $0.settings.interimListeners }) { listener.hear(head) }
  }

  /// The listeners, which are to be told no more.
  package func takeInterimListeners() -> [InterimListener] {
    state.withLock { state in
      let listeners = state.settings.interimListeners
      if !listeners.isEmpty { state.settings.interimListeners = [] }
      return listeners
    }
  }
}
