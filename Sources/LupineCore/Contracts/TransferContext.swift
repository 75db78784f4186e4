public import FoundationEssentials
public import HTTPTypes

/// Everything a transport must know about one exchange besides the request.
public struct TransferContext: Sendable {
  /// The request this exchange belongs to.
  public var id: RequestID { storage.value.id }
  /// Which attempt this is, from 1.
  public var attempt: Int { storage.value.attempt }
  /// The session's clock; idle and total timeouts are the session's business.
  public var clock: any Clock<Duration> { storage.value.settings.clock }
  /// The session's date, which certificates are judged by.
  public var now: @Sendable () -> Date { storage.value.settings.now }
  /// How long name lookup, connection and TLS handshake may take; the transport keeps to it.
  public var connectTimeout: Duration? { storage.value.connectTimeout }
  /// What the transport refuses to receive more of.
  public var limits: Limits { storage.value.settings.limits }
  /// What a connection must match to be used.
  public var identity: SecurityIdentity { storage.value.ownIdentity ?? storage.value.settings.identity }
  /// Who judges the server's certificates; `nil` leaves them to the transport's own rules for system trust.
  public var evaluator: (any TrustEvaluator)? { storage.value.evaluator }
  /// Who judges the certificates of the proxy that the identity names, where it is spoken to over TLS; `nil` leaves them
  /// to the transport's own rules.
  public var proxyEvaluator: (any TrustEvaluator)? { storage.value.proxyEvaluator }
  /// How connections are used.
  public var connections: ConnectionOptions { storage.value.settings.connections }
  /// Where the response's body goes.
  ///
  /// Synchronous, called once, for the final head, on the transport's own thread.
  public var sink: @Sendable (HTTPResponse) -> BodySink {
    let (supervisor, control, attempt) = (storage.value.supervisor, storage.value.control, attempt)
    return { supervisor.sink(for: $0, status: $0.status.code, of: control, attempt: attempt) }
  }
  /// The exchange's life: cancellation and activity.
  public var control: TransferControl { storage.value.control }
  /// Where tasks run that the exchange needs; `nil` means the global executor.
  ///
  /// A task that a transport makes takes it as its executor preference.
  public var executor: (any TaskExecutor)? { storage.value.settings.executor }
  /// What all exchanges of a session are told alike, handed over without a copy.
  package var settings: ExchangeSettings { storage.value.settings }
  /// The fields whose values no message shows.
  package var secretFields: SecretFields { storage.value.settings.secretFields }
  /// The value of `Proxy-Authorization` for the proxy that the identity names; `nil` where it is sent none.
  ///
  /// It goes to the proxy alone: in the CONNECT that asks for a tunnel, or beside the fields of a request that the proxy
  /// forwards. It is no part of the identity, whose credential says who the session is to the proxy.
  public var proxyAuthorization: String? {
    get { storage.value.proxyAuthorization }
    _modify { yield &storage.value.proxyAuthorization }
  }
  /// Ends the request that the exchange belongs to, as its program would.
  package func cancelRequest() { control.cancelRequest() }
  /// Whether anything but the system's authorities judges a server.
  package var judgesServers: Bool { storage.value.judgesServers }
  /// Whether a monitor hears the events; where none does, one that costs something need not be made.
  package var isObserved: Bool { control.isObserved }

  private struct Values {
    let id: RequestID
    let attempt: Int
    let settings: ExchangeSettings
    let connectTimeout: Duration?
    /// `nil` where it is the session's.
    let ownIdentity: SecurityIdentity?
    let evaluator: (any TrustEvaluator)?
    /// Told once, since to ask for an evaluator copies it.
    let judgesServers: Bool
    let proxyEvaluator: (any TrustEvaluator)?
    var supervisor: any ExchangeSupervisor
    var control: TransferControl
    var proxyAuthorization: String?
  }

  /// Behind one pointer, since it goes through many hands.
  private var storage: CopyOnWrite<Values>

  /// Describes an exchange; a session does this, and a test of a transport.
  public init(
    id: RequestID, attempt: Int = 1, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, connectTimeout: Duration? = nil,
    limits: Limits = Limits(), identity: SecurityIdentity = SecurityIdentity(),
    evaluator: (any TrustEvaluator)? = nil, proxyEvaluator: (any TrustEvaluator)? = nil,
    connections: ConnectionOptions = ConnectionOptions(), control: TransferControl = TransferControl(),
    executor: (any TaskExecutor)? = nil,
    events: @escaping @Sendable (SessionEvent.Kind) -> Void = { _ in },
    sink: @escaping @Sendable (HTTPResponse) -> BodySink
  ) {
    self.init(
      id: id, attempt: attempt,
      settings: ExchangeSettings(
        clock: clock, now: now, limits: limits, identity: identity, connections: connections, executor: executor),
      connectTimeout: connectTimeout, ownIdentity: nil, evaluator: evaluator, proxyEvaluator: proxyEvaluator,
      supervisor: ClosureSupervisor(events: events, sink: sink), control: control)
  }

  /// Describes an exchange by what its session tells of all alike, and by what stands above it.
  init(
    id: RequestID, attempt: Int, settings: ExchangeSettings, connectTimeout: Duration?, ownIdentity: SecurityIdentity?,
    evaluator: (any TrustEvaluator)?, proxyEvaluator: (any TrustEvaluator)?, supervisor: any ExchangeSupervisor,
    control: TransferControl, proxyAuthorization: String? = nil
  ) {
    storage = CopyOnWrite(
      Values(
        id: id, attempt: attempt, settings: settings, connectTimeout: connectTimeout, ownIdentity: ownIdentity,
        evaluator: evaluator,
        judgesServers: evaluator != nil || ownIdentity?.namesAuthorities ?? settings.identity.namesAuthorities,
        proxyEvaluator: proxyEvaluator, supervisor: supervisor, control: control, proxyAuthorization: proxyAuthorization
      ))
  }

  /// The context of one of several exchanges that are made in the place of this one.
  package func branch(
    _ control: TransferControl, sink: @escaping @Sendable (HTTPResponse) -> BodySink
  ) -> TransferContext {
    var branch = self
    branch.storage.value.control = control
    branch.storage.value.supervisor = ClosureSupervisor(
      events: { [supervisor = storage.value.supervisor, attempt] in supervisor.hear($0, attempt: attempt) }, sink: sink)
    return branch
  }

  /// Notes that something moves, so that the idle timeout counts from now on.
  package func touch() { control.touch() }

  /// Waits, unless the exchange is cancelled.
  ///
  /// - Throws: the reason of the cancellation.
  package func pause(for delay: Duration, on time: SessionClock) async throws(LupineError) {
    let sleep = Task.immediate(executorPreference: executor) { try await time.sleep(delay) }
    onCancel { sleep.cancel() }
    let isOver = (try? await sleep.value) != nil
    if let reason = control.reason { throw reason }
    guard isOver else { throw LupineError(.cancelled, "The request was cancelled.") }
    touch()
  }

  /// Tells the session's monitors what happened.
  public func emit(_ event: SessionEvent.Kind) { storage.value.supervisor.hear(event, attempt: attempt) }

  /// Registers what ends the exchange early; called at once where it has been cancelled already.
  ///
  /// One handler an exchange. It may be called from any thread, once.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) { control.onCancel(handler) }

  /// Opens the request's body for this exchange.
  ///
  /// The reader emits `sent` when the transport has taken its last byte; of a request without a body, or with one of no
  /// bytes, the transport says so itself.
  public func makeReader(
    for body: Body, onReady: @escaping @Sendable () -> Void
  ) throws(LupineError) -> any BodyReader {
    ActiveReader(try open(body, onReady), control: control, onEnd: tellSent)
  }

  /// Opens the request's body without a word to those who watch, who hear of it once the transport has the reader `tell`.
  package func makeQuietReader(
    for body: Body, onReady: @escaping @Sendable () -> Void
  ) throws(LupineError) -> QuietReader {
    QuietReader(try open(body, onReady), control: control, onEnd: tellSent)
  }

  private var tellSent: @Sendable (Int64) -> Void {
    { [supervisor = storage.value.supervisor, attempt] in supervisor.hear(.sent(bytes: $0), attempt: attempt) }
  }

  private func open(
    _ body: Body, _ onReady: @escaping @Sendable () -> Void
  ) throws(LupineError) -> any BodyReader {
    guard let executor else { return try body.makeReader(onReady: onReady) }
    let reader = ExecutorPreference.$current.withValue(executor) {
      Result { () throws(LupineError) in try body.makeReader(onReady: onReady) }
    }
    return try reader.get()
  }

  /// Asks the sink about the final head and makes both sides of its body.
  ///
  /// - Parameters:
  ///   - source: who answered; a proxy's refusal is neither followed as a redirect nor answered as a server's challenge.
  ///   - resume: called, from any thread, when the transport may go on after `pause`.
  public func makeBody(
    for head: HTTPResponse, from source: TransportResponse.Source = .origin, resume: @escaping @Sendable () -> Void
  ) -> (body: IncomingBody, writer: IncomingBodyWriter) {
    makeBody(for: head, status: head.status.code, from: source, resume: resume)
  }

  /// The same for a head of which the status is known as a number.
  package func makeBody(
    for head: HTTPResponse, status: Int, from source: TransportResponse.Source, resume: @escaping @Sendable () -> Void
  ) -> (body: IncomingBody, writer: IncomingBodyWriter) {
    let control = control
    control.touch()
    control.answers(source)
    let sink = storage.value.supervisor.sink(for: head, status: status, of: control, attempt: attempt)
    let channel = BodyChannel(sink: sink, activity: control, resume: resume)
    return (IncomingBody(channel: channel), IncomingBodyWriter(channel: channel))
  }
}
