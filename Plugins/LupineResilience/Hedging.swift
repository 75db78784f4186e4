public import LupineCore
public import LupineSession

/// Sends a slow request a second time, and uses the response that arrives first.
///
/// If no response arrives within the delay, or a bad one arrives earlier, the same exchange is sent again in parallel.
/// The first good response is used and the other exchanges are cancelled. If there is no good response, the last result
/// is used. An error that a `RetryPolicy` would not retry, or a bad response with `Retry-After`, ends the hedging;
/// running exchanges continue.
///
/// Hedging makes the slowest requests faster at the cost of additional requests. It suits servers that are slow at
/// random, not because of load. A budget limits the hedges to a part of the requests. Only requests that are idempotent
/// and whose body can be sent again are hedged. Each redirect is a separate exchange.
public struct Hedging: Plugin {
  /// The time without a response after which the exchange is sent again.
  ///
  /// Default: 2 seconds.
  public var delay: Duration
  /// The maximum number of additional exchanges.
  ///
  /// Default: 1. A negative value means 0.
  public var limit: Int
  /// The statuses of bad responses.
  ///
  /// Default: the statuses that a `RetryPolicy` retries.
  public var badStatusCodes = RetryPolicy.defaultStatusCodes
  /// The budget that limits the hedges to each origin; a budget of infinite capacity sets no limit.
  ///
  /// Default: 100, and one more for every five requests that are answered.
  public var budget = RetryBudget()

  /// Creates a hedging plugin with a delay and a limit.
  public init(delay: Duration = .seconds(2), limit: Int = 1) {
    self.delay = delay
    self.limit = limit
  }

  /// Inserts hedging between the session and its transport, outside the limiters and the circuit breaker, which count
  /// each hedge.
  public func install(in builder: inout Session.Builder) {
    builder = builder.transportLayer(
      TransportLayer(.hedging, inside: [.tracing, .cache]) { HedgingLayer(base: $0, hedging: self) })
  }
}

extension Plugin where Self == Hedging {
  /// Sends a request again if no response arrives within the delay; see `Hedging`.
  public static func hedging(after delay: Duration = .seconds(2), limit: Int = 1) -> Hedging {
    Hedging(delay: delay, limit: limit)
  }
}

/// Sends an exchange several times if the request permits it.
struct HedgingLayer: Transport {
  let base: any Transport
  let hedging: Hedging

  var capabilities: TransportCapabilities { base.capabilities }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    guard hedging.limit > 0, request.isIdempotent, request.body.isReplayable else {
      return try await base.send(request, in: context)
    }
    return try await HedgedExchange(base, hedging, request, context).run()
  }

  func shutdown() async { await base.shutdown() }
}
