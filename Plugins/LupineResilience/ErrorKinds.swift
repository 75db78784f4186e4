public import LupineCore

extension LupineError.Kind {
  /// The server has failed so often that a circuit breaker refuses requests to it for a while.
  public static let circuitOpen = LupineError.Kind.plugin("circuitOpen")
  /// A concurrency limiter has as many requests under way and waiting as it accepts.
  public static let concurrencyLimited = LupineError.Kind.plugin("concurrencyLimited")
  /// A request would wait for a rate limiter longer than it may.
  public static let rateLimited = LupineError.Kind.plugin("rateLimited")
}
