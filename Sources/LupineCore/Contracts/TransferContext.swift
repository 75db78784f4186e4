public import FoundationEssentials
public import HTTPTypes

/// Everything a transport must know about one exchange besides the request.
public struct TransferContext: Sendable {
  /// The request this exchange belongs to.
  public let id: RequestID
  /// Which attempt this is, from 1.
  public let attempt: Int
  /// The session's clock; idle and total timeouts are the session's business.
  public let clock: any Clock<Duration>
  /// The session's date, which certificates are judged by.
  public let now: @Sendable () -> Date
  /// How long name lookup, connection and TLS handshake may take; the transport keeps to it.
  public let connectTimeout: Duration?
  /// What the transport refuses to receive more of.
  public let limits: Limits
  /// What a connection must match to be used.
  public let identity: SecurityIdentity
  /// Who judges the server's certificates; `nil` leaves them to the transport's own rules for system trust.
  public let evaluator: (any TrustEvaluator)?
  /// Who judges the certificates of the proxy that the identity names, where it is spoken to over TLS; `nil` leaves them
  /// to the transport's own rules.
  public let proxyEvaluator: (any TrustEvaluator)?
  /// How connections are used.
  public let connections: ConnectionOptions
  /// Where the response's body goes.
  ///
  /// Synchronous, called once, for the final head, on the transport's own thread.
  public let sink: @Sendable (HTTPResponse) -> BodySink
  /// The exchange's life: cancellation and activity.
  public let control: TransferControl
  /// Where tasks run that the exchange needs; `nil` means the global executor.
  ///
  /// A task that a transport makes takes it as its executor preference.
  public let executor: (any TaskExecutor)?
  /// The value of `Proxy-Authorization` for the proxy that the identity names; `nil` where it is sent none.
  ///
  /// It goes to the proxy alone: in the CONNECT that asks for a tunnel, or beside the fields of a request that the proxy
  /// forwards. It is no part of the identity, whose credential says who the session is to the proxy.
  public var proxyAuthorization: String?
  /// Ends the request that the exchange belongs to, as its program would.
  package var cancelRequest: @Sendable () -> Void = {}
  /// Whether a monitor hears the events; where none does, one that costs something need not be made.
  package var isObserved = true
  private let events: @Sendable (SessionEvent.Kind) -> Void

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
    self.id = id
    self.attempt = attempt
    self.clock = clock
    self.now = now
    self.connectTimeout = connectTimeout
    self.limits = limits
    self.identity = identity
    self.evaluator = evaluator
    self.proxyEvaluator = proxyEvaluator
    self.connections = connections
    self.control = control
    self.executor = executor
    self.events = events
    self.sink = sink
  }

  /// The context of one of several exchanges that are made in the place of this one.
  package func branch(
    _ control: TransferControl, sink: @escaping @Sendable (HTTPResponse) -> BodySink
  ) -> TransferContext {
    var branch = TransferContext(
      id: id, attempt: attempt, clock: clock, now: now, connectTimeout: connectTimeout, limits: limits,
      identity: identity, evaluator: evaluator, proxyEvaluator: proxyEvaluator, connections: connections,
      control: control, executor: executor, events: events, sink: sink)
    branch.proxyAuthorization = proxyAuthorization
    branch.cancelRequest = cancelRequest
    branch.isObserved = isObserved
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
  public func emit(_ event: SessionEvent.Kind) { events(event) }

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
    let tell: @Sendable (Int64) -> Void = { [events] in events(.sent(bytes: $0)) }
    guard let executor else {
      return ActiveReader(try body.makeReader(onReady: onReady), control: control, onEnd: tell)
    }
    let reader = ExecutorPreference.$current.withValue(executor) {
      Result { () throws(LupineError) in try body.makeReader(onReady: onReady) }
    }
    return ActiveReader(try reader.get(), control: control, onEnd: tell)
  }

  /// Asks the sink about the final head and makes both sides of its body.
  ///
  /// - Parameters:
  ///   - source: who answered; a proxy's refusal is neither followed as a redirect nor answered as a server's challenge.
  ///   - resume: called, from any thread, when the transport may go on after `pause`.
  public func makeBody(
    for head: HTTPResponse, from source: TransportResponse.Source = .origin, resume: @escaping @Sendable () -> Void
  ) -> (body: IncomingBody, writer: IncomingBodyWriter) {
    control.touch()
    control.answers(source)
    let channel = BodyChannel(sink: sink(head), activity: control, resume: resume)
    return (IncomingBody(channel: channel), IncomingBodyWriter(channel: channel))
  }
}
