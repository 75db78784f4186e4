import DequeModule
import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// Limits the number of exchanges with each origin, or with each value of another `PolicyKey`, that begin in any period
/// of a given length; further exchanges wait for their turn.
///
/// The limit is exact: it holds for every period of that length, wherever the period begins. As many exchanges as the
/// limit allows may begin at once. An exchange whose wait would exceed the maximum fails at once with kind
/// `rateLimited`. The wait counts towards the timeouts of the request. The turn of a cancelled exchange is lost. One
/// limiter may be shared by several sessions.
public final class RateLimiter: Plugin {
  /// The start times of the last exchanges with one key, past and future, in order.
  struct Turns {
    private var starts: Deque<Duration> = []

    /// Reserves a turn and returns its start; returns `nil` without a reservation if the turn would be after `latest`.
    mutating func reserve(_ limit: Int, per interval: Duration, now: Duration, latest: Duration) -> Duration? {
      while let first = starts.first, first <= now - interval {
        assert(StepCount.add())
        starts.removeFirst()
      }
      var start = max(now, starts.last ?? now)
      if starts.count >= limit { start = max(start, starts[starts.count - limit] + interval) }
      guard start <= latest else { return nil }
      starts.append(start)
      return start
    }
  }

  private let limit: Int
  private let interval: Duration
  private let maximumWait: Duration
  private let clock: PolicyClock
  private let turns: PolicyStates<Turns>

  /// Makes a limiter.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of exchanges with one key in the period.
  ///   - interval: the length of the period. Default: 1 second.
  ///   - maximumWait: the maximum wait of an exchange. Default: 30 seconds.
  ///   - key: the exchanges that share the limit. Default: those with one origin.
  ///   - clock: the clock for the period. Default: the clock of the session that uses the limiter first.
  public init(
    _ limit: Int, per interval: Duration = .seconds(1), maximumWait: Duration = .seconds(30),
    key: PolicyKey = .origin, clock: (any Clock<Duration>)? = nil
  ) {
    self.limit = max(1, limit)
    self.interval = interval.bounded
    self.maximumWait = maximumWait.bounded
    turns = PolicyStates(by: key) { Turns() }
    self.clock = PolicyClock(clock)
  }

  /// Inserts the limiter between the session and its transport, inside the concurrency limiter and outside the circuit
  /// breaker.
  public func install(in builder: inout Session.Builder) {
    builder = builder.exchangeLayer(.rateLimit, inside: [.tracing, .cache, .hedging, .concurrencyLimit]) {
      RateLayer(limiter: self)
    }
  }

  /// Reserves a turn; returns its start if the exchange must wait for it.
  ///
  /// - Throws: `LupineError` of kind `rateLimited` if the wait is too long.
  func reserveTurn(for request: OutgoingRequest, _ context: TransferContext) throws(LupineError) -> Duration? {
    let entry = turns.entry(of: request)
    let now = clock.now(or: context.clock)
    let start = entry.state.withLock { turns in
      turns.reserve(limit, per: interval, now: now, latest: now + maximumWait)
    }
    guard let start else {
      context.emit(.decided(policy: "rate limiter", reason: "refuses the exchange: too many wait for \(entry.key)"))
      throw LupineError(
        .rateLimited,
        "More than \(limit) exchanges in \(interval.milliseconds) were requested with \(entry.key), and this one would wait for longer "
          + "than \(maximumWait.milliseconds); nothing was sent.")
    }
    guard start > now else { return nil }
    context.emit(.decided(policy: "rate limiter", reason: "delays the exchange by \((start - now).milliseconds)"))
    return start
  }

  /// Waits for the start of a turn.
  ///
  /// - Throws: the reason for which the exchange was cancelled.
  func wait(until start: Duration, _ context: TransferContext) async throws(LupineError) {
    try await context.pause(until: start, on: clock.clock(or: context.clock))
  }
}

extension Plugin where Self == RateLimiter {
  /// A rate limiter for this session alone; see `RateLimiter`.
  public static func rateLimit(
    _ limit: Int, per interval: Duration = .seconds(1), key: PolicyKey = .origin
  ) -> RateLimiter {
    RateLimiter(limit, per: interval, key: key)
  }
}

/// Makes each exchange wait for its turn.
struct RateLayer: ExchangeLayer {
  let limiter: RateLimiter

  @inline(__always)  // Into the witness, as `Benchmarks/README.md` says.
  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    if let start = try limiter.reserveTurn(for: request, context) { try await limiter.wait(until: start, context) }
    return try await next(request, in: context)
  }
}
