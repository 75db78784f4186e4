public import Dispatch
import Synchronization

extension SessionRequest {
  /// Calls the handler as the request's body goes out.
  ///
  /// The figures come in order and never go back; where a retry sends the body again, they wait until it has come as far
  /// as before. The last figure always comes, and before the response, unless the request is cancelled or its time is over:
  /// that waits for no handler.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; `nil` means off the caller's thread.
  ///   - interval: the least time between two calls, on the session's clock. Default: none.
  @discardableResult
  public func uploadProgress(
    queue: DispatchQueue? = nil, interval: Duration = .zero,
    _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> Self {
    report(task.upload, on: queue, interval, handler)
  }

  /// Calls the handler as the response's body comes in, before decoding; see `uploadProgress`.
  @discardableResult
  public func downloadProgress(
    queue: DispatchQueue? = nil, interval: Duration = .zero,
    _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> Self {
    report(task.download, on: queue, interval, handler)
  }

  private func report(
    _ progress: borrowing Mutex<ProgressReporter>, on queue: DispatchQueue?, _ interval: Duration,
    _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> Self {
    let executor = task.session.configuration.executor
    progress.withLock { reporter in
      reporter.add(interval: interval, executor: executor) { progress in
        await Queueing.call(on: queue) { handler(progress) }
      }
    }
    return self
  }
}
