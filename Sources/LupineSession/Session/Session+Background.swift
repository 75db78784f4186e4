import LupineCore

extension Session {
  /// Starts a task that belongs to the session and to none of its requests, such as the renewal of a token.
  ///
  /// `shutdown()` cancels the task and waits for its end, and a session that is released cancels it. An operation that
  /// captures the session keeps it alive until the operation returns; capture it weakly in work without end. A layer or
  /// an interceptor uses `TransferContext.startBackgroundTask(_:)` instead, which can also send requests below it.
  ///
  /// The deadlines of the current task (`withDeadline`) do not apply to the operation.
  ///
  /// - Parameter operation: the work. It returns soon after its task is cancelled.
  /// - Returns: whether the task was started; `false` after `shutdown()`.
  @discardableResult
  public func startBackgroundTask(_ operation: @escaping @Sendable () async -> Void) -> Bool {
    exchangeSettings.backgroundTasks.start { _ in
      await Self.$deadlines.withValue([]) { await operation() }
    }
  }

  /// Waits until no background task of the session runs.
  ///
  /// `finishRequests()` does not wait for them. A task without end, such as a periodic one, is not waited for with this
  /// method, but with `shutdown()`.
  public func finishBackgroundTasks() async { await exchangeSettings.backgroundTasks.drained() }
}
