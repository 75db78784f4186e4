public import LupineCore

extension LupineError.Kind {
  /// A circuit breaker refuses requests to the server for a while, because the server has failed too often.
  public static let circuitOpen = LupineError.Kind.plugin("circuitOpen")
  /// The limit and the queue of a concurrency limiter are full.
  public static let concurrencyLimited = LupineError.Kind.plugin("concurrencyLimited")
  /// The wait for a rate limiter would exceed its maximum.
  public static let rateLimited = LupineError.Kind.plugin("rateLimited")
}
