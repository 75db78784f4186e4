public import Dispatch
import Synchronization

extension SessionRequest {
  /// Calls the handler as the request's body goes out.
  ///
  /// The figures come in order and never go back; where a retry sends the body again, they wait until it has come as far
  /// as before. The last figure always comes, and before the response.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; `nil` means off the caller's thread.
  ///   - interval: the least time between two calls, on the session's clock. Default: none.
  @discardableResult
  public func uploadProgress(
    queue: DispatchQueue? = nil, interval: Duration = .zero,
    _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> Self {
    let executor = task.session.configuration.executor
    task.upload.withLock { reporter in
      reporter.add(interval: interval, executor: executor) { progress in
        await Queueing.call(on: queue) { handler(progress) }
      }
    }
    return self
  }

  /// Calls the handler as the response's body comes in, before decoding; see `uploadProgress`.
  @discardableResult
  public func downloadProgress(
    queue: DispatchQueue? = nil, interval: Duration = .zero,
    _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> Self {
    let executor = task.session.configuration.executor
    task.download.withLock { reporter in
      reporter.add(interval: interval, executor: executor) { progress in
        await Queueing.call(on: queue) { handler(progress) }
      }
    }
    return self
  }
}

/// Calls handlers where their callers want them.
enum Queueing {
  static func call(on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void) async {
    guard let queue else { return body() }
    await withUnsafeContinuation { continuation in
      queue.async {
        body()
        continuation.resume()
      }
    }
  }
}
