import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// Lets so many exchanges with each origin begin in any stretch of time of a given length; others wait for their turn.
///
/// The bound is exact: there is no moment from which on more begin. As many as it allows may begin at once. An exchange
/// that would wait for longer than it may fails at once with kind `rateLimited`. One that waits counts towards the timeouts
/// of its request; when it is cancelled its turn passes unused. One limiter may serve several sessions.
public final class RateLimiter: Plugin {
  /// When the last exchanges with one origin began, or will begin.
  private struct Turns {
    var starts: [Duration] = []
  }

  private let limit: Int
  private let interval: Duration
  private let maximumWait: Duration
  private let clock: PolicyClock
  private let turns = Mutex(RecentTable<HTTPURL.Origin, Turns>(limit: 1_000))

  /// Makes a limiter.
  ///
  /// - Parameters:
  ///   - limit: the exchanges with one origin.
  ///   - interval: the stretch of time. Default: 1 second.
  ///   - maximumWait: how long an exchange may wait. Default: 30 seconds.
  ///   - clock: the clock it counts on. Default: that of the session that uses it first.
  public init(
    _ limit: Int, per interval: Duration = .seconds(1), maximumWait: Duration = .seconds(30),
    clock: (any Clock<Duration>)? = nil
  ) {
    self.limit = max(1, limit)
    self.interval = interval
    self.maximumWait = maximumWait
    self.clock = PolicyClock(clock)
  }

  /// Stands between the session and its transport, inside the concurrency limiter and outside the circuit breaker.
  public func install(in builder: inout Session.Builder) {
    builder = builder.transportLayer(
      TransportLayer(.rateLimit, inside: [.tracing, .cache, .hedging, .concurrencyLimit]) {
        RateLayer(base: $0, limiter: self)
      })
  }

  /// Waits for a turn.
  ///
  /// - Throws: `LupineError` of kind `rateLimited` where it is too far off, the reason where the exchange is cancelled.
  func turn(_ origin: HTTPURL.Origin, _ context: TransferContext) async throws(LupineError) {
    let time = clock.clock(or: context.clock)
    guard let delay = reserve(origin, now: time.now()) else {
      context.emit(.decided(policy: "rate limiter", reason: "refuses the exchange: too many wait for \(origin)"))
      throw LupineError(
        .rateLimited,
        "More than \(limit) exchanges in \(interval.milliseconds) were asked of \(origin), and this one would wait for longer "
          + "than \(maximumWait.milliseconds); nothing was sent.")
    }
    guard delay > .zero else { return }
    context.emit(.decided(policy: "rate limiter", reason: "has the exchange wait for \(delay.milliseconds)"))
    try await context.pause(for: delay, on: time)
  }

  /// The time until the turn that was taken; `nil` where it is too far off, and none was taken.
  private func reserve(_ origin: HTTPURL.Origin, now: Duration) -> Duration? {
    turns.withLock { turns in
      var own = turns[origin] ?? Turns()
      own.starts.removeAll { $0 <= now - interval }
      let start = own.starts.count < limit ? now : max(now, own.starts[own.starts.count - limit] + interval)
      guard start - now <= maximumWait else { return nil }
      own.starts.append(start)
      turns[origin] = own
      return start - now
    }
  }
}

extension Plugin where Self == RateLimiter {
  /// A rate limiter of the session's own; see `RateLimiter`.
  public static func rateLimit(_ limit: Int, per interval: Duration = .seconds(1)) -> RateLimiter {
    RateLimiter(limit, per: interval)
  }
}
