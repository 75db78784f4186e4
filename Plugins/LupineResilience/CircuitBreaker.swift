public import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// Lets nothing through to a server that fails too often, so that it can recover and its callers need not wait for it.
///
/// Each origin (scheme, host and port) has a circuit of its own. It is closed at first. When enough exchanges were made
/// within the window and too many of them failed, it opens: exchanges fail at once with kind `circuitOpen`. After the
/// break one exchange is let through as a probe; if it brings a good head the circuit closes, else it opens for twice as
/// long.
///
/// Statuses that count, errors of the network and timeouts, of the exchange or of the whole request, are failures;
/// cancellations are neither failures nor successes. It sees every exchange: each attempt, each redirect, each hedge. One
/// breaker may serve several sessions.
public final class CircuitBreaker: Plugin {
  private let configuration: Configuration
  private let clock: PolicyClock
  private let circuits = Mutex(RecentTable<HTTPURL.Origin, Circuit>(limit: 1_000))

  /// When it opens, and for how long.
  public struct Configuration: Sendable {
    /// Of the exchanges in the window, the part that must have failed.
    ///
    /// Default: 0.5.
    public var failureRatio = 0.5
    /// The exchanges there must have been in the window.
    ///
    /// Default: 20.
    public var minimumThroughput = 20
    /// The time that is looked back on.
    ///
    /// Default: 30 seconds.
    public var window = Duration.seconds(30)
    /// How long the first break is; each one that follows on a failed probe is twice as long.
    ///
    /// Default: 5 seconds.
    public var breakDuration = Duration.seconds(5)
    /// How long a break may become.
    ///
    /// Default: 60 seconds.
    public var maximumBreakDuration = Duration.seconds(60)
    /// The statuses that count as failures.
    ///
    /// Default: 408, 429 and 500 to 599.
    public var failureStatusCodes = Set([408, 429] + Array(500...599))

    /// The defaults.
    public init() {}

    /// The defaults with changes.
    public init(_ change: (inout Configuration) -> Void) { change(&self) }
  }

  /// Makes a breaker whose circuits are closed.
  ///
  /// - Parameter clock: the clock of windows and breaks. Default: that of the session that uses it first.
  public init(_ configuration: Configuration = Configuration(), clock: (any Clock<Duration>)? = nil) {
    self.configuration = configuration
    self.clock = PolicyClock(clock)
  }

  /// Whether the circuit of a URL's origin lets exchanges through; one that is about to be probed does not.
  public func isClosed(for url: HTTPURL) -> Bool { circuits.withLock { $0[url.origin] }?.isClosed ?? true }

  /// Stands between the session and its transport, inside the limiters.
  public func install(in builder: inout Session.Builder) {
    builder = builder.transportLayer(
      TransportLayer(.circuitBreaker, inside: [.tracing, .cache, .hedging, .concurrencyLimit, .rateLimit]) {
        CircuitBreakerLayer(base: $0, breaker: self)
      })
  }

  /// Lets an exchange through.
  ///
  /// - Throws: `LupineError` of kind `circuitOpen`.
  func admit(_ origin: HTTPURL.Origin, _ context: TransferContext) throws(LupineError) -> Circuit.Pass {
    let now = clock.clock(or: context.clock).now()
    switch change(origin, { $0.admit(now: now) }) {
    case .pass(let pass):
      if pass.isProbe { context.emit(Self.event("lets an exchange through to see whether \(origin) has recovered")) }
      return pass
    case .refuse(let rest):
      let wait = rest > .zero ? "for another \(rest.milliseconds)" : "until the exchange that probes it has ended"
      context.emit(Self.event("does not let the exchange through: the circuit of \(origin) is open \(wait)"))
      throw LupineError(
        .circuitOpen, "\(origin) has failed too often; its circuit is open \(wait), and nothing was sent.")
    }
  }

  /// Takes in how an exchange ended; `nil` where it says nothing about the server.
  func record(_ isSuccess: Bool?, _ pass: Circuit.Pass, _ origin: HTTPURL.Origin, _ context: TransferContext) {
    let now = clock.clock(or: context.clock).now()
    let event = change(origin) { $0.record(isSuccess, pass, now: now, configuration) }
    switch event {
    case .opened(let duration, let failures, let total):
      context.emit(
        Self.event("opens the circuit of \(origin) for \(duration.milliseconds): \(failures) of \(total) failed"))
    case .closed: context.emit(Self.event("closes the circuit of \(origin)"))
    case nil: break
    }
  }

  /// Whether the status says that the server failed.
  func isFailure(_ status: Int) -> Bool { configuration.failureStatusCodes.contains(status) }

  private func change<Value: Sendable>(_ origin: HTTPURL.Origin, _ body: (inout Circuit) -> Value) -> Value {
    circuits.withLock { circuits in
      var circuit = circuits[origin] ?? Circuit()
      let value = body(&circuit)
      circuits[origin] = circuit
      return value
    }
  }

  private static func event(_ reason: String) -> SessionEvent.Kind {
    .decided(policy: "circuit breaker", reason: reason)
  }
}

extension Plugin where Self == CircuitBreaker {
  /// A circuit breaker of the session's own; see `CircuitBreaker`.
  public static func circuitBreaker(_ change: (inout CircuitBreaker.Configuration) -> Void = { _ in }) -> CircuitBreaker
  {
    CircuitBreaker(CircuitBreaker.Configuration(change))
  }
}
