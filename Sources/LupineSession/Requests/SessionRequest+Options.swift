public import Dispatch
public import LupineCore
import LupineSupport
import Synchronization

extension SessionRequest {
  /// Changes the timeouts of this request, as in `request.timeouts { $0.total = .seconds(5) }`.
  ///
  /// The closure receives the current timeouts, by default the session's; those that it does not change stay the same.
  /// They apply from the request's start and include the time of its adapters. The call has no effect on a request that
  /// has started.
  @discardableResult
  public func timeouts(_ change: (inout Timeouts) -> Void) -> Self {
    let bounds = execution.session.configuration.timeouts
    return options { options in
      var timeouts = options.timeouts ?? bounds
      change(&timeouts)
      options.timeouts = timeouts
    }
  }

  /// Sets the instant at which the request ends with kind `timedOut(.total)`, with all its attempts, redirects and
  /// waits.
  ///
  /// The earliest of several deadlines and the total timeout applies. If the deadline has passed when the request
  /// begins, nothing is sent. `Session.withDeadline` sets a deadline for all requests of a task. The call has no effect
  /// on a request that has started.
  ///
  /// - Parameter instant: the deadline, on the session's clock or on a system clock. An instant of a system clock is
  ///   converted to the session's clock at once. An instant of another clock ends the request with kind
  ///   `invalidRequest`.
  @discardableResult
  public func deadline(_ instant: some InstantProtocol<Duration>) -> Self {
    execution.timeLimits.setDeadline(instant)
    return self
  }

  /// Sets the instant at which the request ends, such as `.now + .seconds(2)`.
  ///
  /// It works like the method that takes an instant of any clock.
  @discardableResult
  public func deadline(_ instant: ContinuousClock.Instant) -> Self {
    execution.timeLimits.setDeadline(instant)
    return self
  }

  /// Changes the options of this request, as in `request.options { $0.priority = .high }`.
  ///
  /// Adapters and interceptors receive the options and may change them. The call has no effect on a request that has
  /// started.
  @discardableResult
  public func options(_ change: (inout OutgoingRequest.Options) -> Void) -> Self {
    // Changed outside the lock, because the closure may read the request.
    var options = execution.described?.options ?? OutgoingRequest.Options()
    change(&options)
    return setting { $0.options = options }
  }

  /// Sets an option that a plugin declares, as in `request.option(CacheMode.self, .bypass)`.
  ///
  /// The same as `options { $0[Key.self] = value }`.
  @discardableResult
  public func option<Key: RequestOptionKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
    options { $0[key] = value }
  }
}

extension RequestExecution {
  /// The request as the program described it, with the options set since; `nil` if it could not be created.
  var described: OutgoingRequest? {
    if case .success(let request) = original { withOwnOptions(request) } else { nil }
  }

  /// Returns the request with the options that were set after it was described.
  func withOwnOptions(_ request: OutgoingRequest) -> OutgoingRequest {
    guard let options = state.withLock({ $0.settings.options }) else { return request }
    var request = request
    request.options = options
    return request
  }
}

extension SessionRequest {
  /// Adds an `Idempotency-Key`, the same on every attempt, so that the request can be retried with any method.
  ///
  /// - Parameter key: the field's value. Default: a UUID in quotes, from the session's source of randomness.
  @discardableResult
  public func idempotencyKey(_ key: String? = nil) -> Self {
    setting { $0.idempotencyKey = key.map { .given($0) } ?? .fresh }
  }
}

extension SessionRequest {
  /// Calls the handler as the request's body is sent.
  ///
  /// The values come in order and never decrease. If a retry sends the body again, the handler is not called until the
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
    report(.upload, on: queue, interval, handler)
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
    report(.download, on: queue, interval, handler)
  }

  private func report(
    _ direction: RequestProgress.Direction, on queue: DispatchQueue?, _ interval: Duration,
    _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> Self {
    let executor = execution.session.configuration.executor
    // Set first, so that the end of the request does not miss a listener.
    execution.state.withLock { $0.settings.addProgressHandler() }
    // Made outside the lock, because its task starts on the program's executor.
    let listener = ProgressListener(interval: interval, executor: executor) { progress in
      await Queueing.call(on: queue) { handler(progress) }
    }
    execution.progress.report(of: direction) { $0.add(listener) }
    return self
  }
}
