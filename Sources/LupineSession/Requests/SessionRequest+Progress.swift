public import Dispatch
import LupineSupport
import Synchronization

extension SessionRequest {
  /// Calls the handler as the request's body is sent.
  ///
  /// The values come in order and never decrease. If a retry sends the body again, the handler is called only once the
  /// earlier value is exceeded. The only exception is the last value of a successful request: it is the full size, also
  /// of a body that is empty or shorter when sent again. The last value always comes, before the response, unless the
  /// request is cancelled or times out; then the request does not wait for handlers. An event stream has no progress.
  ///
  /// - Parameters:
  ///   - queue: the queue of the calls; `nil` calls the handler off the caller's thread.
  ///   - interval: the minimum time between two calls except the last, on the session's clock. Progress during an
  ///     interval is reported at its end, even if nothing moves then. Default: none.
  @discardableResult
  public func uploadProgress(
    queue: DispatchQueue? = nil, interval: Duration = .zero,
    _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> Self {
    report(task.upload, on: queue, interval, handler)
  }

  /// Calls the handler as the response's body is received, before decoding; see `uploadProgress`.
  ///
  /// Only the final response counts, not the bodies of redirects, of answered challenges, or of parts that do not
  /// continue a download. An unsuccessful response (not 2xx) gives one value, the last, if the request succeeds with
  /// it; an error page that is retried or fails the request gives none. The last value of a successful request is the
  /// full size, with a known total. An event stream has no progress.
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
    // Set first, so that the end of the request does not miss a listener.
    task.state.withLock { $0.settings.hearsProgress = true }
    progress.withLock { reporter in
      reporter.add(interval: interval, executor: executor) { progress in
        await Queueing.call(on: queue) { handler(progress) }
      }
    }
    return self
  }
}
