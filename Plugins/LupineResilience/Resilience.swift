public import LupineCore

/// All of the module's parts at once, with defaults for calls to services: short requests, whose answers are small.
///
/// Whatever the order they are installed in, the parts stand in this one, from the outside in:
///
/// 1. the total timeout
/// 2. the retries, which begin each attempt anew
/// 3. the attempt timeout
/// 4. hedging: from here on each part sees every exchange, redirects included
/// 5. the concurrency limiter
/// 6. the rate limiter, inside it, so that no line can gather turns and spend them at once
/// 7. the circuit breaker, asked at the last moment
/// 8. the exchange
///
/// What is set to `nil` is left out.
public struct Resilience: Plugin {
  /// Bounds the time of a request.
  ///
  /// Default: 30 seconds.
  public var totalTimeout: TotalTimeout? = TotalTimeout()
  /// Decides about retries.
  ///
  /// Default: 3 retries.
  public var retryPolicy: RetryPolicy? = RetryPolicy(limit: 3)
  /// Bounds the time of an attempt.
  ///
  /// Default: 10 seconds.
  public var attemptTimeout: AttemptTimeout? = AttemptTimeout()
  /// Sends slow requests again.
  ///
  /// Default: none.
  public var hedging: Hedging?
  /// Bounds how many exchanges begin in a stretch of time.
  ///
  /// Default: none.
  public var rateLimiter: RateLimiter?
  /// Bounds how many exchanges are under way at the same time.
  ///
  /// Default: 100 for each origin, and 1,000 more that wait.
  public var concurrencyLimiter: ConcurrencyLimiter? = ConcurrencyLimiter()
  /// Lets nothing through to a server that fails.
  ///
  /// Default: where half of at least 20 exchanges failed in 30 seconds.
  public var circuitBreaker: CircuitBreaker? = CircuitBreaker()

  /// The defaults.
  public init() {}

  /// The defaults with changes.
  public init(_ change: (inout Resilience) -> Void) { change(&self) }

  /// Installs each part there is.
  public func install(in builder: inout Session.Builder) {
    if let retryPolicy { builder = builder.retrier(retryPolicy) }
    let parts: [(any Plugin)?] = [
      totalTimeout, attemptTimeout, hedging, rateLimiter, concurrencyLimiter, circuitBreaker,
    ]
    for part in parts.compactMap({ $0 }) { part.install(in: &builder) }
  }
}

extension Plugin where Self == Resilience {
  /// All of the module's parts, with defaults for calls to services; see `Resilience`.
  public static func resilience(_ change: (inout Resilience) -> Void = { _ in }) -> Resilience { Resilience(change) }
}
