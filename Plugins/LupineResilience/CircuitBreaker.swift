import HTTPTypes
public import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// Stops exchanges with a server that fails too often, so that the server can recover and callers fail fast.
///
/// Each origin (scheme, host and port) has its own circuit, unless the configuration has another `key`. A circuit is
/// closed at first. It opens when the window has enough exchanges and too many of them failed: then exchanges fail at
/// once with kind `circuitOpen`. After the break one exchange is sent as a probe. If it brings a good head the circuit
/// closes, otherwise it opens for twice as long.
///
/// Failures are the configured statuses, network and proxy errors, malformed responses and timeouts, of the exchange or
/// of the whole request. Cancellations are neither failures nor successes. The breaker counts every exchange: each
/// attempt, each redirect, each hedge. One breaker may be shared by several sessions.
public final class CircuitBreaker: Plugin {
  private let configuration: Configuration
  private let clock: PolicyClock
  private let circuits: PolicyStates<Circuit>

  /// The circuit of one key.
  typealias Entry = PolicyStates<Circuit>.Entry

  /// The conditions for opening a circuit, and the length of the breaks.
  public struct Configuration: Sendable {
    /// The ratio of exchanges in the window that must have failed.
    ///
    /// Default: 0.5.
    public var failureRatio = 0.5
    /// The minimum number of exchanges in the window.
    ///
    /// Default: 20.
    public var minimumThroughput = 20
    /// The length of the period in which exchanges are counted.
    ///
    /// Default: 30 seconds.
    public var window = Duration.seconds(30)
    /// The length of the first break; each break after a failed probe is twice as long.
    ///
    /// Default: 5 seconds.
    public var breakDuration = Duration.seconds(5)
    /// The maximum length of a break.
    ///
    /// Default: 60 seconds.
    public var maximumBreakDuration = Duration.seconds(60)
    /// The statuses that count as failures.
    ///
    /// Default: 408, 429 and 500 to 599.
    public var failureStatusCodes = Set([408, 429] + Array(500...599))
    /// The exchanges that share a circuit.
    ///
    /// Default: those with one origin.
    public var key = PolicyKey.origin

    /// Creates the default configuration.
    public init() {}

    /// Creates the default configuration with changes.
    public init(_ change: (inout Configuration) -> Void) { change(&self) }
  }

  /// Makes a breaker whose circuits are closed.
  ///
  /// - Parameter clock: the clock for windows and breaks. Default: the clock of the session that uses the breaker
  ///   first.
  public init(_ configuration: Configuration = Configuration(), clock: (any Clock<Duration>)? = nil) {
    self.configuration = configuration
    self.clock = PolicyClock(clock)
    circuits = PolicyStates(by: configuration.key) { Circuit(configuration) }
  }

  /// Whether the circuit of a URL is closed; a circuit that waits for a probe is not.
  public func isClosed(for url: HTTPURL) -> Bool { isClosed(for: OutgoingRequest(url: url)) }

  /// Whether the circuit of a request is closed; a circuit that waits for a probe is not.
  public func isClosed(for request: OutgoingRequest) -> Bool {
    circuits.known(of: request)?.state.withLock { $0.isClosed } ?? true
  }

  /// Returns the circuit of a request.
  func circuit(of request: OutgoingRequest) -> Entry { circuits.entry(of: request) }

  /// Inserts the breaker between the session and its transport, inside the limiters.
  public func install(in builder: inout Session.Builder) {
    builder = builder.exchangeLayer(
      .circuitBreaker, inside: [.tracing, .cache, .hedging, .concurrencyLimit, .rateLimit]
    ) {
      CircuitBreakerLayer(breaker: self)
    }
  }

  /// Admits an exchange.
  ///
  /// - Throws: `LupineError` of kind `circuitOpen`.
  func admit(to circuit: Entry, _ context: TransferContext) throws(LupineError) -> Circuit.Pass {
    let key = circuit.key
    // Without the time, which a closed circuit does not need.
    if let pass = circuit.state.withLock({ $0.passIfClosed }) { return pass }
    let now = clock.now(or: context.clock)
    switch circuit.state.withLock({ $0.admit(now: now) }) {
    case .pass(let pass):
      if pass.isProbe { context.emit(Self.event("admits an exchange as a probe of \(key)")) }
      return pass
    case .refuse(let rest):
      let wait = rest > .zero ? "for another \(rest.milliseconds)" : "until its probe has ended"
      context.emit(Self.event("refuses the exchange: the circuit of \(key) is open \(wait)"))
      throw LupineError(
        .circuitOpen, "\(key) has failed too often; its circuit is open \(wait), and nothing was sent.")
    }
  }

  /// Records the result of an exchange; `nil` if it does not show the state of the server.
  func record(_ isSuccess: Bool?, _ pass: Circuit.Pass, _ circuit: Entry, _ context: TransferContext) {
    let (key, now) = (circuit.key, clock.now(or: context.clock))
    switch circuit.state.withLock({ $0.record(isSuccess, pass, now: now) }) {
    case .opened(let duration, let failures, let total):
      context.emit(
        Self.event("opens the circuit of \(key) for \(duration.milliseconds): \(failures) of \(total) failed"))
    case .closed: context.emit(Self.event("closes the circuit of \(key)"))
    case nil: break
    }
  }

  /// Whether the status counts as a failure of the server.
  func isFailure(_ status: Int) -> Bool { configuration.failureStatusCodes.contains(status) }

  private static func event(_ reason: String) -> SessionEvent.Kind {
    .decided(policy: "circuit breaker", reason: reason)
  }
}

extension Plugin where Self == CircuitBreaker {
  /// A circuit breaker for this session alone; see `CircuitBreaker`.
  public static func circuitBreaker(_ change: (inout CircuitBreaker.Configuration) -> Void = { _ in }) -> CircuitBreaker
  {
    CircuitBreaker(CircuitBreaker.Configuration(change))
  }
}

/// Asks a circuit breaker for admission before each exchange, and reports the result of the exchange.
struct CircuitBreakerLayer: ExchangeLayer {
  let breaker: CircuitBreaker

  @inline(__always)  // Into the witness, as `Benchmarks/README.md` says.
  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let circuit = breaker.circuit(of: request)
    let pass = try breaker.admit(to: circuit, context)
    do throws(LupineError) {
      let response = try await next(request, in: context)
      guard !breaker.isFailure(response.statusCode) else {
        breaker.record(false, pass, circuit, context)
        return response
      }
      // A stream may last for hours; the head is enough to judge a probe.
      guard !pass.isProbe else {
        breaker.record(true, pass, circuit, context)
        return response
      }
      response.body.onEnd { [breaker] end in
        breaker.record(Self.isSuccess(end, context), pass, circuit, context)
      }
      return response
    } catch {
      breaker.record(Self.isSuccess(.failure(error), context), pass, circuit, context)
      throw error
    }
  }

  /// Whether the exchange succeeded; `nil` if its end does not show the state of the server.
  private static func isSuccess(_ end: Result<BodyEnd, LupineError>, _ context: TransferContext) -> Bool? {
    guard case .failure(let error) = end else { return true }
    // A transport reports only `cancelled`; the reason in the control shows whether it was a timeout.
    let kind = (context.control.reason ?? error).kind
    return failures.contains(kind) ? false : nil
  }

  private static let failures = RetryPolicy.defaultErrors.union([.timedOut(.total), .malformedResponse, .proxyFailed])
}
