public import LupineCore
import Synchronization

extension SessionRequest {
  /// Changes the timeouts of this request, as in `request.timeouts { $0.total = .seconds(5) }`.
  ///
  /// The closure receives the current timeouts, by default the session's; those that it does not change stay the same.
  /// They apply from the request's start and include the time of its adapters. The call has no effect on a request that
  /// has started.
  @discardableResult
  public func timeouts(_ change: (inout Timeouts) -> Void) -> Self {
    let bounds = task.session.configuration.timeouts
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
    task.setDeadline(instant)
    return self
  }

  /// Changes the options of this request, as in `request.options { $0.priority = .high }`.
  ///
  /// Adapters and interceptors receive the options and may change them. The call has no effect on a request that has
  /// started.
  @discardableResult
  public func options(_ change: (inout OutgoingRequest.Options) -> Void) -> Self {
    // Changed outside the lock, because the closure may read the request.
    var options = task.described?.options ?? OutgoingRequest.Options()
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
    if case .success(let request) = description { withOwnOptions(request) } else { nil }
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
