public import LupineCore
public import LupineSession

/// Sends a slow request a second time, and uses the response that arrives first.
///
/// If no response arrives within the delay, the same exchange is sent again in parallel. The first response is used and
/// the other exchanges are cancelled. An error of the connection that a `RetryPolicy` would retry, such as a refused or
/// lost connection, starts the next exchange at once; any other error ends the hedging, and running exchanges continue.
///
/// By default no status of a response starts another exchange, because that would double the load of a server that
/// fails. After a response whose status is in `badStatusCodes` the exchange is sent again at once; such a response is
/// used only if no better one arrives. If it has `Retry-After`, it ends the hedging.
///
/// Hedging makes the slowest requests faster at the cost of additional requests. It suits servers that are slow at
/// random, not because of load. A `RetryBudget` limits the hedges of every cause to a part of the requests. Only
/// requests that are idempotent and whose body can be sent again are hedged. Each redirect is a separate exchange.
public struct Hedging: Plugin {
  /// The time without a response after which the exchange is sent again.
  ///
  /// Default: 2 seconds.
  public var delay: Duration
  /// The maximum number of additional exchanges.
  ///
  /// Default: 1. A negative value means 0.
  public var limit: Int
  /// The statuses of responses after which the exchange is sent again without a delay.
  ///
  /// Default: none. `RetryPolicy.defaultStatusCodes` are those that a retry policy retries.
  public var badStatusCodes: Set<Int>
  /// The budget that limits the hedges to each origin; a budget of infinite capacity sets no limit.
  ///
  /// Default: 100, and one more for every five requests that are answered.
  public var budget = RetryBudget()

  /// Creates a hedging plugin.
  public init(delay: Duration = .seconds(2), limit: Int = 1, badStatusCodes: Set<Int> = []) {
    self.delay = delay
    self.limit = limit
    self.badStatusCodes = badStatusCodes
  }

  /// Inserts hedging between the session and its transport, outside the limiters and the circuit breaker, which count
  /// each hedge.
  public func install(in builder: inout Session.Builder) {
    builder = builder.exchangeLayer(.hedging, inside: [.tracing, .cache]) { HedgingLayer(hedging: self) }
  }
}

extension Plugin where Self == Hedging {
  /// Sends a request again if no response arrives within the delay; see `Hedging`.
  public static func hedging(
    after delay: Duration = .seconds(2), limit: Int = 1, badStatusCodes: Set<Int> = []
  ) -> Hedging {
    Hedging(delay: delay, limit: limit, badStatusCodes: badStatusCodes)
  }
}

/// Sends an exchange several times if the request permits it.
struct HedgingLayer: ExchangeLayer {
  let hedging: Hedging

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    guard hedging.limit > 0, request.isIdempotent, request.body.isReplayable else {
      return try await next(request, in: context)
    }
    return try await HedgedExchange(next, hedging, request, context).run()
  }
}
