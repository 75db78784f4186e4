public import LupineCore
public import LupineFoundation
import Synchronization

/// Makes requests with a transport and the policies around its exchanges.
///
/// `Session.Builder` creates a session. A session may be used from any thread. It keeps no state between requests
/// except the state of its parts. If a session is released, its requests continue; `shutdown()` ends them.
public final class Session: Sendable {
  let configuration: SessionConfiguration
  /// The settings with which the session decodes the bodies of responses.
  ///
  /// `DecodingDefaults` makes the serializers of a request with them.
  public let decodingDefaults: DecodingDefaults
  /// The monitors; without one, no events are created.
  let monitors: MonitorList
  /// Whether there is an adapter, interceptor or retrier.
  let hasPolicies: Bool
  /// Whether there is a retrier that decides about failures of serializers.
  let retriesSerializers: Bool
  let cookies: RequestCookies
  let hasCodings: Bool
  let hasCredentialProvider: Bool
  let hasProxies: Bool
  let connectionKeys: ConnectionKeys
  /// Whether the transport makes connections, but none with TLS.
  let lacksTLS: Bool
  /// Whether the connection depends on the request's URL.
  let hasOwnRoutes: Bool
  let keysRequests: Bool
  /// The shortest of the session's timeouts.
  let firstBound: Duration?
  let exchangeSettings: ExchangeSettings
  let clock: SessionClock
  let registry: RequestRegistry
  let watch: TimeoutScheduler
  /// The retry budget of all requests whose policies do not have their own.
  let retryBudget = RetryBudget()
  /// The transport, and the chain of layers before it; `nil` after the shutdown.
  private let chain: Mutex<Chain?>

  private struct Chain {
    let transport: any Transport
    let next: NextExchange
  }

  private let requestCount = Atomic<UInt64>(0)

  init(_ configuration: SessionConfiguration, _ transport: any Transport, _ layers: [any ExchangeLayer] = []) {
    let clock = SessionClock(configuration.clock, executor: configuration.executor)
    let registry = RequestRegistry()
    self.configuration = configuration
    // A copy, because access through generic code would copy the whole configuration.
    decodingDefaults = configuration.decodingDefaults
    monitors = MonitorList(configuration.monitors.map { $0.makeMonitor(clock: configuration.clock) })
    hasPolicies =
      !configuration.adapters.isEmpty || !configuration.interceptors.isEmpty || !configuration.retriers.isEmpty
    retriesSerializers = configuration.retriers.contains { $0.decidesAboutSerializers }
    hasCodings = !configuration.contentCodings.isEmpty
    cookies = RequestCookies(store: configuration.cookieStore, now: configuration.now)
    hasCredentialProvider = configuration.credentialProvider != nil
    hasProxies = !configuration.proxies.isEmpty
    connectionKeys = ConnectionKeys(
      configuration.connectionKey, through: configuration.proxies,
      proving: configuration.connectionCredential?.credential)
    lacksTLS = !transport.capabilities.missing(of: .tls).isEmpty
    hasOwnRoutes =
      !configuration.proxies.isEmpty || configuration.trustPolicy != nil || configuration.connectionCredential != nil
      || !configuration.tolerances.isEmpty
    keysRequests = !configuration.keyedMethods.isEmpty
    firstBound = configuration.timeouts.first
    exchangeSettings = ExchangeSettings(configuration, clock: clock)
    self.clock = clock
    self.registry = registry
    chain = Mutex(Chain(transport: transport, next: NextExchange(through: layers, to: transport)))
    watch = TimeoutScheduler(clock: clock) { registry.endOverdue(now: $0) }
  }

  deinit {
    exchangeSettings.closeBackgroundTasks(LupineError(.sessionShutDown, "The session was released."))
  }

  /// The URL that relative references are appended to.
  public var baseURL: HTTPURL? { configuration.baseURL }

  /// The limits on responses and on the fields of requests.
  public var limits: Limits { configuration.limits }

  /// The fields that are redacted in messages, events and descriptions, and not sent to other origins.
  public var secretFields: SecretFields { configuration.secretFields }

  /// The warnings of `build()`: settings that are valid but risky, such as a single pin without a backup.
  public var warnings: [ConfigurationIssue] { configuration.warnings }

  /// The current date, from the session's date source.
  public var currentDate: Date { configuration.now() }

  /// The session's cookie store, if it has one.
  public var cookieStore: (any CookieStore)? { configuration.cookieStore }

  /// Ends every request of this session with kind `sessionShutDown`, refuses new ones, and waits until all have ended.
  ///
  /// The same applies to its background tasks: they are cancelled, and no other can be started. Awaited
  /// tasks, such as those that store responses in a cache, are cancelled only after a second. A background task must
  /// not call this method, because it would wait for itself.
  ///
  /// The session releases its transport but does not shut it down, because another session may use it. A transport that
  /// has no other owner is deinitialized.
  public func shutdown() async {
    let reason = LupineError(.sessionShutDown, "The session was shut down.")
    exchangeSettings.closeBackgroundTasks(reason)
    await registry.close(reason)
    await exchangeSettings.finishBackgroundTasks()
    // Released outside the lock, because this may deinitialize the transport.
    _ = chain.withLock { $0.take() }
  }

  /// Waits until every running request has ended and its handlers have been called.
  ///
  /// It also waits a second at most for the awaited background tasks, such as those that store responses in a cache.
  ///
  /// Call it before a program exits if its work is in handlers. A suspended request, or an event stream that is read
  /// and suspended, counts as running until it is resumed or cancelled.
  public func finishRequests() async {
    await registry.drained()
    await exchangeSettings.settleBackgroundTasks()
  }

  /// Runs code that calls handlers of the program, in a task of its own; `finishRequests()` waits for its end.
  ///
  /// A request that has a reader, such as a stream with handlers, calls them within this method. The completion
  /// handlers of an execution do not need it.
  public func deliver(_ operation: @escaping @Sendable () async -> Void) {
    registry.beginDelivery()
    Task(executorPreference: configuration.executor) { [registry] in
      await operation()
      registry.endDelivery()
    }
  }

  /// The chain of layers before the transport.
  func openChain() throws(LupineError) -> NextExchange {
    if let next = chain.withLock({ $0?.next }) { return next }
    throw LupineError(.sessionShutDown, "The session was shut down; build another one.")
  }

  /// The running requests in the order of creation, for diagnostics.
  var runningRequests: [RequestSummary] {
    registry.running.compactMap { try? $0.original.get().summary }
  }

  /// The session's source of randomness; each call returns 64 random bits.
  public var random: @Sendable () -> UInt64 { configuration.random }

  func nextID() -> RequestID { RequestID(requestCount.add(1, ordering: .relaxed).newValue) }
}

extension Session {
  /// Counts the connections of the session's transport, including those of other sessions that share it.
  ///
  /// `nil` if the transport has no connection pool, such as a mock.
  public func connectionPool() async -> ConnectionPoolSnapshot? {
    await chain.withLock { $0?.transport }?.connectionPool()
  }
}

extension Session {
  /// Starts a task that belongs to the session and to none of its requests, such as the renewal of a token.
  ///
  /// `shutdown()` cancels the task and waits for its end, and a session that is released cancels it. An operation that
  /// captures the session keeps it alive until the operation returns; capture it weakly in work without end. A layer or
  /// an interceptor uses `TransferContext.startBackgroundTask(_:)` instead, which can also send requests below the
  /// layer.
  ///
  /// The deadlines of the current task (`withDeadline`) do not apply to the operation.
  ///
  /// - Parameter operation: the work. It runs in a task of its own, on the session's executor, or else on the global
  ///   one. It returns soon after its task is cancelled.
  /// - Returns: whether the task was started; `false` after `shutdown()`.
  @discardableResult
  public func startBackgroundTask(_ operation: @escaping @Sendable () async -> Void) -> Bool {
    exchangeSettings.startBackgroundTask {
      await Self.$deadlines.withValue([]) { await operation() }
    }
  }

  /// Waits until no background task of the session runs.
  ///
  /// `finishRequests()` waits only for the awaited tasks, and for a second at most. Do not call this method while a
  /// task without end runs, such as a periodic one; `shutdown()` ends such a task.
  public func finishBackgroundTasks() async { await exchangeSettings.finishBackgroundTasks() }
}

/// A transport that fails every request with the given error.
struct FailingTransport: Transport {
  let reason: LupineError

  var capabilities: TransportCapabilities { [] }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    throw reason
  }

  func shutdown() async {}
}

extension Session {
  /// A session that fails every request with the given error.
  ///
  /// `package`, for the default session of the umbrella alone: a program handles the error of `build()`.
  package static func failing(with reason: LupineError) -> Session {
    let transport = FailingTransport(reason: reason)
    return Session(SessionConfiguration(), transport)
  }
}

extension Session {
  /// The route of a request through a proxy; `nil` if no proxy receives any part of the request.
  func passage(to url: HTTPURL) -> ProxyPassage? {
    configuration.proxies.isEmpty ? nil : ProxyPassage(configuration.proxies.proxy(for: url), to: url)
  }

  /// Throws for a link-local address with a zone that a proxy would have to connect to.
  ///
  /// A zone names an interface of this machine (RFC 6874 section 1), so the proxy would reach another host.
  func refuseZoneBehindProxy(_ url: HTTPURL) throws(LupineError) {
    guard url.hostKind == .ipv6, url.host.utf8.contains(UInt8(ascii: "%")), configuration.proxies.proxy(for: url) != nil
    else { return }
    throw LupineError(
      .invalidRequest,
      "The zone of \(url.host) names an interface of this machine, and a proxy cannot use it; except the host from the proxy."
    )
  }

  /// The trust evaluator of the proxy for this URL, if it is an HTTPS proxy.
  func proxyEvaluator(for url: HTTPURL) -> (any TrustEvaluator)? {
    guard !configuration.proxies.isEmpty, let trustPolicy = configuration.trustPolicy,
      let proxy = configuration.proxies.proxy(for: url), proxy.kind == .https
    else { return nil }
    let origin = HTTPURL.Origin(scheme: .https, host: proxy.host, port: proxy.port)
    return (try? HTTPURL("\(origin)/")).flatMap(trustPolicy.evaluator)
  }
}
