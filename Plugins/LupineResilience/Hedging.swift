public import LupineCore
public import LupineSession

/// Sends a slow request a second time, and takes the answer that comes first.
///
/// When no answer has come within the delay, or a bad one before it, the same exchange is made again, beside the first. The
/// first good answer counts and the others are cancelled; if there is none, the last outcome counts. An error that a
/// `RetryPolicy` would not retry, and a bad answer with `Retry-After`, end the hedging: what is under way goes on.
///
/// It makes the slowest requests faster at the cost of a few more of them, so it is for servers that are slow by chance,
/// not by load: a budget keeps the hedges to a part of the requests. Only requests are hedged that are idempotent and
/// whose body can be sent again; each redirect is an exchange of its own.
public struct Hedging: Plugin {
  /// How long an answer may take before the exchange is made again.
  ///
  /// Default: 2 seconds.
  public var delay: Duration
  /// How often it is made again, at most.
  ///
  /// Default: 1. Less than 0 is 0.
  public var limit: Int
  /// The statuses that are no good answer.
  ///
  /// Default: those that a `RetryPolicy` retries.
  public var badStatusCodes = RetryPolicy.defaultStatusCodes
  /// What limits the hedges to each origin; one of infinite capacity sets no such limit.
  ///
  /// Default: 100, and one more for each five requests that are answered.
  public var budget = RetryBudget()

  /// Says when an exchange is made again.
  public init(delay: Duration = .seconds(2), limit: Int = 1) {
    self.delay = delay
    self.limit = limit
  }

  /// Stands between the session and its transport, outside the limiters and the circuit breaker: they see each hedge.
  public func install(in builder: inout Session.Builder) {
    builder = builder.transportLayer(
      TransportLayer(.hedging, inside: [.tracing, .cache]) { HedgingLayer(base: $0, hedging: self) })
  }
}

extension Plugin where Self == Hedging {
  /// Sends a request again that has no answer after the delay; see `Hedging`.
  public static func hedging(after delay: Duration = .seconds(2), limit: Int = 1) -> Hedging {
    Hedging(delay: delay, limit: limit)
  }
}
