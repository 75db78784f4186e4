import LupineCore
public import LupineSession

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
/// What is set to `nil` is left out. A timeout that `Session.Builder.timeouts` names takes the place of the one here,
/// in whatever order the two stand, as do a request's own, in its options.
public struct Resilience: Plugin {
  /// The longest time of a request, its retries and the waits between them included.
  ///
  /// Default: 30 seconds.
  public var totalTimeout: Duration? = .seconds(30)
  /// Decides about retries.
  ///
  /// Default: 3 retries.
  public var retryPolicy: RetryPolicy? = RetryPolicy(limit: 3)
  /// The longest time of an attempt, from its adapters to the last byte of its response.
  ///
  /// Default: 10 seconds.
  public var attemptTimeout: Duration? = .seconds(10)
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
    builder = builder.boundingTimes(total: totalTimeout, attempt: attemptTimeout)
    let parts: [(any Plugin)?] = [hedging, rateLimiter, concurrencyLimiter, circuitBreaker]
    for part in parts.compactMap({ $0 }) { part.install(in: &builder) }
  }
}

extension Plugin where Self == Resilience {
  /// All of the module's parts, with defaults for calls to services; see `Resilience`.
  public static func resilience(_ change: (inout Resilience) -> Void = { _ in }) -> Resilience { Resilience(change) }
}
