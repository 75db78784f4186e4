public import Dispatch
import LupineSupport
import Synchronization

extension SessionRequest {
  /// Calls the handler as the request's body goes out.
  ///
  /// The figures come in order and never go back; where a retry sends the body again, they wait until it has come as far
  /// as before. The one exception is the last figure of a request that ended well: it is the whole, also of a body that is
  /// empty or, at its second sending, shorter. The last figure always comes, and before the response, unless the request is
  /// cancelled or its time is over: that waits for no handler. A stream of events, which is one body after another, has no
  /// progress.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; `nil` means off the caller's thread.
  ///   - interval: the least time between two calls but the last, on the session's clock; what moves meanwhile is told at
  ///     its end, also where nothing moves then. Default: none.
  @discardableResult
  public func uploadProgress(
    queue: DispatchQueue? = nil, interval: Duration = .zero,
    _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> Self {
    report(task.upload, on: queue, interval, handler)
  }

  /// Calls the handler as the response's body comes in, before decoding; see `uploadProgress`.
  ///
  /// Only the answer counts: the bodies of redirects, of challenges that are answered and of parts that do not continue a
  /// download are nobody's progress. A response that is not successful (2xx) gives one figure, its last, where the request
  /// ends well with it; the page of an error that is retried, or fails the request, gives none. The last figure of a
  /// request that ended well is the whole, its total known. A stream of events has no progress.
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
    // Said first, so that the request's end does not pass a listener by.
    task.state.withLock { $0.settings.hearsProgress = true }
    progress.withLock { reporter in
      reporter.add(interval: interval, executor: executor) { progress in
        await Queueing.call(on: queue) { handler(progress) }
      }
    }
    return self
  }
}
