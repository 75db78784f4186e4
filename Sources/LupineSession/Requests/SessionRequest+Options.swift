public import LupineCore
import Synchronization

extension SessionRequest {
  /// Changes the bounds of this request alone, as in `request.timeouts { $0.total = .seconds(5) }`.
  ///
  /// What the closure is given are the bounds that hold without it, as a rule the session's, so those it does not name stay
  /// as they are. They hold from the request's start, also for what its adapters do. A request that has started keeps the
  /// bounds it has.
  @discardableResult
  public func timeouts(_ change: (inout Timeouts) -> Void) -> Self {
    let bounds = task.session.configuration.timeouts
    return options { options in
      var timeouts = options.timeouts ?? bounds
      change(&timeouts)
      options.timeouts = timeouts
    }
  }

  /// Sets the instant at which the request ends with kind `timedOut(.total)`, whatever it is doing: all its attempts,
  /// redirects and waits end by then.
  ///
  /// Of several deadlines, and beside a total timeout, the earliest counts. Where it has passed when the request begins,
  /// nothing is sent. `Session.withDeadline` sets one for all requests of a task. A request that has started keeps the
  /// bounds it has.
  ///
  /// - Parameter instant: the deadline, of the session's clock or of one of the system's; An instant of a system clock
  ///   is converted to the session's clock at once. An instant of another clock ends the request with kind
  ///   `invalidRequest`.
  @discardableResult
  public func deadline(_ instant: some InstantProtocol<Duration>) -> Self {
    task.setDeadline(instant)
    return self
  }

  /// Changes how this request alone is sent, as in `request.options { $0.priority = .high }`.
  ///
  /// Adapters and interceptors see the options and may change them further. A request that has started keeps those it
  /// has.
  @discardableResult
  public func options(_ change: (inout OutgoingRequest.Options) -> Void) -> Self {
    // Changed outside the lock, since the closure may look at the request.
    var options = task.described?.options ?? OutgoingRequest.Options()
    change(&options)
    return setting { $0.options = options }
  }
}

extension RequestExecution {
  /// The request as the program described it, the options that it was given since included; `nil` where it could not be
  /// made.
  var described: OutgoingRequest? {
    if case .success(let request) = description { withOwnOptions(request) } else { nil }
  }

  /// The request with the options that it was given since it was described.
  package func withOwnOptions(_ request: OutgoingRequest) -> OutgoingRequest {
    guard let options = state.withLock({ $0.settings.options }) else { return request }
    var request = request
    request.options = options
    return request
  }
}

extension SessionRequest {
  /// Adds an `Idempotency-Key`, the same on every attempt, so that the request may be retried whatever its method.
  ///
  /// - Parameter key: the field's value. Default: a UUID in quotes, from the session's source of randomness.
  @discardableResult
  public func idempotencyKey(_ key: String? = nil) -> Self {
    setting { $0.idempotencyKey = key.map { .given($0) } ?? .fresh }
  }
}
