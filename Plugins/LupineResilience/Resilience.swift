public import LupineCore
public import LupineSession

/// All parts of the module, with defaults for service calls: short requests with small responses.
///
/// The parts are arranged in this order from the outside in, whatever the order of installation:
///
/// 1. the total timeout
/// 2. the retries, each of which begins a new attempt
/// 3. the attempt timeout
/// 4. hedging: from here on each part handles every exchange, including redirects
/// 5. the concurrency limiter
/// 6. the rate limiter, inside it, so that a queue cannot collect turns and use them at once
/// 7. the circuit breaker, called last
/// 8. the exchange
///
/// A part that is `nil` is omitted. A timeout of `Session.Builder.timeouts` replaces the one here, whatever their
/// order. A timeout in a request's options does so too.
public struct Resilience: Plugin {
  /// The maximum time of a request, including its retries and the waits between them.
  ///
  /// Default: 30 seconds.
  public var totalTimeout: Duration? = .seconds(30)
  /// The retry policy.
  ///
  /// Default: 3 retries.
  public var retryPolicy: RetryPolicy? = RetryPolicy(limit: 3)
  /// The maximum time of an attempt, from its adapters to the last byte of its response.
  ///
  /// Default: 10 seconds.
  public var attemptTimeout: Duration? = .seconds(10)
  /// Sends slow requests again.
  ///
  /// Default: none.
  public var hedging: Hedging?
  /// Limits how many exchanges begin in a period.
  ///
  /// Default: none.
  public var rateLimiter: RateLimiter?
  /// Limits the number of concurrent exchanges.
  ///
  /// Default: 100 for each origin, and 1,000 more that wait.
  public var concurrencyLimiter: ConcurrencyLimiter? = ConcurrencyLimiter()
  /// Stops exchanges with a server that fails.
  ///
  /// Default: opens if half of at least 20 exchanges failed in 30 seconds.
  public var circuitBreaker: CircuitBreaker? = CircuitBreaker()

  /// Creates the default configuration.
  public init() {}

  /// Creates the default configuration with changes.
  public init(_ change: (inout Resilience) -> Void) { change(&self) }

  /// Installs each part that is not `nil`.
  public func install(in builder: inout Session.Builder) {
    if let retryPolicy { builder = builder.retrier(retryPolicy) }
    builder = builder.boundingTimes(total: totalTimeout, attempt: attemptTimeout)
    let parts: [(any Plugin)?] = [hedging, rateLimiter, concurrencyLimiter, circuitBreaker]
    for part in parts.compactMap({ $0 }) { part.install(in: &builder) }
  }
}

extension Plugin where Self == Resilience {
  /// All parts of the module, with defaults for service calls; see `Resilience`.
  public static func resilience(_ change: (inout Resilience) -> Void = { _ in }) -> Resilience { Resilience(change) }
}

extension LupineError.Kind {
  /// A circuit breaker refuses requests to the server for a while, because the server has failed too often.
  public static let circuitOpen = LupineError.Kind.plugin("circuitOpen")
  /// The limit and the queue of a concurrency limiter are full.
  public static let concurrencyLimited = LupineError.Kind.plugin("concurrencyLimited")
  /// The wait for a rate limiter would exceed its maximum.
  public static let rateLimited = LupineError.Kind.plugin("rateLimited")
}
