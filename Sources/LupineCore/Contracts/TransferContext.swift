public import FoundationEssentials
public import HTTPTypes
import LupineSupport

/// Everything a transport must know about one exchange besides the request.
public struct TransferContext: Sendable {
  /// The request this exchange belongs to.
  public let id: RequestID
  /// Which attempt this is, from 1.
  public let attempt: Int
  /// What all exchanges of a session are told alike, handed over without a copy.
  public let settings: ExchangeSettings
  /// The exchange's life: cancellation and activity.
  public private(set) var control: ExchangeControl
  /// What this exchange is told besides, or otherwise; most are not.
  private var own: CopyOnWrite<Own>?

  /// What an exchange is told that is not as its session tells all of them.
  package struct Own {
    package var connectTimeout: Duration?
    package var identity: ConnectionKey
    package var evaluator: (any TrustEvaluator)?
    package var proxyEvaluator: (any TrustEvaluator)?
    package var proxyAuthorization: String?
    /// Who stands above the exchange in the place of the request that its life belongs to.
    package var supervisor: (any ExchangeSupervisor)?

    package init(_ settings: ExchangeSettings) {
      connectTimeout = settings.connectTimeout
      identity = settings.identity
    }
  }

  /// The session's clock; idle and total timeouts are the session's business.
  public var clock: any Clock<Duration> { settings.clock }
  /// The session's date, which certificates are judged by.
  public var now: @Sendable () -> Date { settings.now }
  /// How long name lookup, connection and TLS handshake may take; the transport keeps to it.
  public var connectTimeout: Duration? { own.map { $0.value.connectTimeout } ?? settings.connectTimeout }
  /// What the transport refuses to receive more of.
  public var limits: Limits { settings.limits }
  /// What a connection must match to be used.
  public var identity: ConnectionKey { own?.value.identity ?? settings.identity }
  /// Who judges the server's certificates; `nil` leaves them to the transport's own rules for system trust.
  public var evaluator: (any TrustEvaluator)? { own?.value.evaluator }
  /// Who judges the certificates of the proxy that the identity names, where it is spoken to over TLS; `nil` leaves them
  /// to the transport's own rules.
  public var proxyEvaluator: (any TrustEvaluator)? { own?.value.proxyEvaluator }
  /// How connections are used.
  public var connections: ConnectionOptions { settings.connections }
  /// Where the response's body goes.
  ///
  /// Synchronous, called once, for the final head, on the transport's own thread.
  public var sink: @Sendable (HTTPResponse) -> BodySink {
    { [self] in sink(for: $0, $0.status.code) }
  }
  /// Where tasks run that the exchange needs; `nil` means the global executor.
  ///
  /// A task that a transport makes takes it as its executor preference.
  public var executor: (any TaskExecutor)? { settings.executor }
  /// The fields whose values no message shows.
  public var secretFields: SecretFields { settings.secretFields }
  /// The value of `Proxy-Authorization` for the proxy that the identity names; `nil` where it is sent none.
  ///
  /// It goes to the proxy alone: in the CONNECT that asks for a tunnel, or beside the fields of a request that the proxy
  /// forwards. It is no part of the identity, whose credential says who the session is to the proxy.
  public var proxyAuthorization: String? {
    get { own?.value.proxyAuthorization }
    set { change { $0.proxyAuthorization = newValue } }
  }
  /// Ends the request that the exchange belongs to, as its program would.
  public func cancelRequest() { control.cancelRequest() }
  /// Whether anything but the system's authorities judges a server.
  public var judgesServers: Bool {
    // Asked whether there is one, and not for it: an evaluator would be copied.
    if let own { own.value.evaluator != nil || own.value.identity.namesAuthorities } else { settings.namesAuthorities }
  }
  /// Whether a monitor hears the events; where none does, one that costs something need not be made.
  public var isObserved: Bool { control.isObserved }

  /// Describes an exchange; a session does this, and a test of a transport.
  public init(
    id: RequestID, attempt: Int = 1, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, connectTimeout: Duration? = nil,
    limits: Limits = Limits(), identity: ConnectionKey = ConnectionKey(),
    evaluator: (any TrustEvaluator)? = nil, proxyEvaluator: (any TrustEvaluator)? = nil,
    connections: ConnectionOptions = ConnectionOptions(), control: ExchangeControl = ExchangeControl(),
    executor: (any TaskExecutor)? = nil,
    events: @escaping @Sendable (SessionEvent.Kind) -> Void = { _ in },
    sink: @escaping @Sendable (HTTPResponse) -> BodySink
  ) {
    let settings = ExchangeSettings(
      clock: clock, now: now, connectTimeout: connectTimeout, limits: limits, identity: identity,
      connections: connections, executor: executor)
    self.init(id: id, attempt: attempt, settings: settings, control: control)
    change {
      $0.evaluator = evaluator
      $0.proxyEvaluator = proxyEvaluator
      $0.supervisor = ClosureSupervisor(events: events, sink: sink)
    }
  }

  /// Describes an exchange as its session tells of all of them.
  package init(id: RequestID, attempt: Int, settings: ExchangeSettings, control: ExchangeControl) {
    self.id = id
    self.attempt = attempt
    self.settings = settings
    self.control = control
  }

  /// Tells the exchange what is not as its session tells all of them.
  package mutating func change(_ change: (inout Own) -> Void) { own.change(from: Own(settings), change) }

  private var supervisor: (any ExchangeSupervisor)? { own?.value.supervisor ?? control.supervisor }

  private func sink(for head: HTTPResponse, _ status: Int) -> BodySink {
    supervisor?.sink(for: head, status: status, of: control, attempt: attempt) ?? .discard(limit: 0)
  }

  /// Makes the context of a branch, one of several exchanges that a layer sends in the place of this one.
  ///
  /// - Parameters:
  ///   - control: what `ExchangeControl.branch()` has returned.
  ///   - sink: decides where the branch's body goes; called once, for its final head, on the transport's thread. For the
  ///     branch that is the answer, it calls `control.choose()` and returns what the `sink` of this context returns; for
  ///     the others, `.discard(limit:)`.
  public func branch(
    _ control: ExchangeControl, sink: @escaping @Sendable (HTTPResponse) -> BodySink
  ) -> TransferContext {
    var branch = self
    branch.control = control
    branch.change { $0.supervisor = ClosureSupervisor(events: { [self] in emit($0) }, sink: sink) }
    return branch
  }

  /// Notes that something moves, so that the idle timeout counts from now on.
  public func touch() { control.touch() }

  /// Waits, unless the exchange is cancelled.
  ///
  /// - Throws: the reason of the cancellation.
  public func pause(for delay: Duration, on time: SessionClock) async throws(LupineError) {
    let sleep = Task.immediate(executorPreference: executor) { try await time.sleep(delay) }
    onCancel { sleep.cancel() }
    let isOver = (try? await sleep.value) != nil
    if let reason = control.reason { throw reason }
    guard isOver else { throw LupineError(.cancelled, "The request was cancelled.") }
    touch()
  }

  /// Tells the session's monitors what happened.
  public func emit(_ event: SessionEvent.Kind) { supervisor?.hear(event, attempt: attempt) }

  /// Registers what ends the exchange early; called at once where it has been cancelled already.
  ///
  /// One handler an exchange. It may be called from any thread, once.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) { control.onCancel(handler) }

  /// Opens the request's body for this exchange.
  ///
  /// The reader emits `sent` when the transport has taken its last byte; of a request without a body, or with one of no
  /// bytes, the transport says so itself.
  public func makeReader(
    for body: RequestBody, onReady: @escaping @Sendable () -> Void
  ) throws(LupineError) -> any BodyReader {
    ActiveReader(try open(body, onReady), control: control, onEnd: tellSent)
  }

  /// Opens the request's body without a word to those who watch, who hear of it once the transport has the reader `tell`.
  public func makeQuietReader(
    for body: RequestBody, onReady: @escaping @Sendable () -> Void
  ) throws(LupineError) -> QuietReader {
    QuietReader(try open(body, onReady), control: control, onEnd: tellSent)
  }

  private var tellSent: @Sendable (Int64) -> Void {
    { [self] in emit(.sent(bytes: $0)) }
  }

  private func open(
    _ body: RequestBody, _ onReady: @escaping @Sendable () -> Void
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
  ) -> (body: ResponseBody, writer: ResponseBodyWriter) {
    makeBody(for: head, status: head.status.code, from: source, resume: resume)
  }

  /// The same for a head of which the status is known as a number.
  public func makeBody(
    for head: HTTPResponse, status: Int, from source: TransportResponse.Source, resume: @escaping @Sendable () -> Void
  ) -> (body: ResponseBody, writer: ResponseBodyWriter) {
    control.touch()
    control.answers(source)
    let exchange = control.beginBody(sink(for: head, status), resume: resume)
    return (ResponseBody(exchange: exchange), ResponseBodyWriter(exchange: exchange))
  }
}

extension TransferContext: HidesSecrets {
  /// The request and the attempt; what the proxy alone may see is left out.
  public var description: String { "the context of \(id), attempt \(attempt)" }
}

/// What a session tells the transport of every exchange alike; behind one pointer, since each exchange is told, and by
/// which a transport knows that nothing has changed since the last one.
public final class ExchangeSettings: Sendable {
  package let clock: any Clock<Duration>
  package let now: @Sendable () -> Date
  package let connectTimeout: Duration?
  /// The limits of what a transport accepts.
  public let limits: Limits
  /// What a connection must match, where nothing of the request's own says otherwise.
  package let identity: ConnectionKey
  /// Whether that names authorities to judge servers by.
  package let namesAuthorities: Bool
  /// How connections are used.
  public let connections: ConnectionOptions
  package let executor: (any TaskExecutor)?
  package let secretFields: SecretFields

  package init(
    clock: any Clock<Duration>, now: @escaping @Sendable () -> Date, connectTimeout: Duration?, limits: Limits,
    identity: ConnectionKey,
    connections: ConnectionOptions, executor: (any TaskExecutor)?, secretFields: SecretFields = .standard
  ) {
    self.clock = clock
    self.now = now
    self.connectTimeout = connectTimeout
    self.limits = limits
    self.identity = identity
    namesAuthorities = identity.namesAuthorities
    self.connections = connections
    self.executor = executor
    self.secretFields = secretFields
  }
}
