public import FoundationEssentials
public import LupineCore
import Synchronization

/// Makes requests: a transport, and everything that is decided around its exchanges.
///
/// `Session.Builder` assembles one. A session that is let go lets its requests finish; `shutdown()` ends them. It keeps
/// no state between requests but what its parts keep, and may be used from any thread.
public final class Session: Sendable {
  package let configuration: SessionConfiguration
  /// The configuration's, for a request that is made: through a generic caller all of it would be copied.
  package let decodingDefaults: DecodingDefaults
  /// Whether a monitor hears of events, so that making one is worth its cost.
  let isObserved: Bool
  /// Whether it has a part that few sessions have: what asked for the part itself would copy it.
  let hasPolicies: Bool
  let hasCookieStore: Bool
  let hasCodings: Bool
  let hasCredentialProvider: Bool
  let hasProxies: Bool
  /// Whether it depends on a request's URL how its connection is to be made.
  let hasOwnRoutes: Bool
  let keysRequests: Bool
  /// Whether an attempt's time has a bound, where a request sets none of its own.
  let boundsAttempts: Bool
  /// The first of its bounds that can be over.
  let firstBound: Duration?
  let exchangeSettings: ExchangeSettings
  let clock: SessionClock
  package let registry: RequestRegistry
  let watch: TimeoutScheduler
  /// What the retries of all requests come out of, where their policies have no budget of their own.
  let retryBudget = RetryBudget()
  private let transport: Mutex<OpenTransport?>
  /// The transport within the layers that plugins put around it.
  private let base: Mutex<(any Transport)?>
  private let requestCount = Atomic<UInt64>(0)

  init(_ configuration: SessionConfiguration, transport: any Transport, base: any Transport) {
    let clock = SessionClock(configuration.clock, executor: configuration.executor)
    let registry = RequestRegistry()
    self.configuration = configuration
    decodingDefaults = configuration.decodingDefaults
    isObserved = !configuration.monitors.isEmpty
    hasPolicies =
      !configuration.adapters.isEmpty || !configuration.interceptors.isEmpty || !configuration.retriers.isEmpty
    hasCodings = !configuration.contentCodings.isEmpty
    hasCookieStore = configuration.cookieStore != nil
    hasCredentialProvider = configuration.credentialProvider != nil
    hasProxies = !configuration.proxies.isEmpty
    hasOwnRoutes =
      !configuration.proxies.isEmpty || configuration.trustPolicy != nil || configuration.connectionCredential != nil
    keysRequests = !configuration.keyedMethods.isEmpty
    boundsAttempts = configuration.timeouts.attempt != nil
    firstBound = configuration.timeouts.first
    exchangeSettings = ExchangeSettings(configuration)
    self.clock = clock
    self.registry = registry
    self.transport = Mutex(OpenTransport(transport))
    self.base = Mutex(base)
    watch = TimeoutScheduler(clock: clock) { registry.endOverdue(now: $0) }
  }

  /// The URL that relative references are appended to.
  public var baseURL: HTTPURL? { configuration.baseURL }

  /// What its assembly found risky but not wrong, such as a single pin without a backup.
  public var warnings: [ConfigurationIssue] { configuration.warnings }

  /// The date, from the session's own source of it.
  public var currentDate: Date { configuration.now() }

  /// What keeps the session's cookies, where it keeps any.
  public var cookieStore: (any CookieStore)? { configuration.cookieStore }

  /// Ends every request of this session with kind `sessionShutDown`, and refuses new ones; returns when all have ended.
  ///
  /// The transport is let go, not shut down: it may serve another session. One that nobody else holds ends by itself.
  public func shutdown() async {
    let reason = LupineError(.sessionShutDown, "The session was shut down.")
    await registry.close(reason)
    // Let go of outside the locks, since a transport that nobody else holds ends.
    let parts = (transport.withLock { $0.take() }, base.withLock { $0.take() })
    _ = parts
  }

  /// Waits until every request that is running has ended and its handlers have been called.
  ///
  /// A program whose work is all in handlers awaits this before it exits. A request that is suspended, and a stream of
  /// events that is read while it is held back, counts as running until it is resumed or cancelled.
  public func finishRequests() async { await registry.drained() }

  func openTransport() throws(LupineError) -> OpenTransport {
    if let transport = transport.withLock({ $0 }) { return transport }
    throw LupineError(.sessionShutDown, "The session was shut down; make another one.")
  }

  /// The requests that are running, in the order of their making, for whoever explains what is waited for.
  package var runningRequests: [RequestSummary] {
    registry.running.compactMap { try? $0.description.get().summary }
  }

  /// 64 random bits at each call, for whoever makes requests for this session.
  public var random: @Sendable () -> UInt64 { configuration.random }

  /// The transport, where it keeps connections.
  var pooling: (any ConnectionPooling)? { base.withLock { $0 } as? any ConnectionPooling }

  func nextID() -> RequestID { RequestID(requestCount.add(1, ordering: .relaxed).newValue) }
}

/// A session's transport in an object of its own, which is handed to a request at the cost of a retain; a value of any
/// type is copied at a higher one.
final class OpenTransport: Sendable {
  let transport: any Transport

  init(_ transport: any Transport) { self.transport = transport }
}
