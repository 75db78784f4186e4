public import HTTPTypes
public import LupineFoundation
import LupineSupport

/// The data that a transport needs for one exchange, in addition to the request.
public struct TransferContext: Sendable {
  /// The identifier of the request that this exchange belongs to.
  public let id: RequestID
  /// The number of this attempt, from 1.
  public let attempt: Int
  /// The settings that all exchanges of a session share.
  public let settings: ExchangeSettings
  /// The cancellation and activity of the exchange.
  public private(set) var control: ExchangeControl
  /// The settings of this exchange alone; most exchanges have none.
  private var overrides: ExchangeOverrides?

  /// The session's clock, on which the session enforces the idle and total timeouts.
  public var clock: any Clock<Duration> { settings.clock }
  /// Returns the session's date, for the validity of certificates; may be called from any thread.
  public var now: @Sendable () -> Date { settings.now }
  /// The timeout for name lookup, connection and TLS handshake together, which the transport enforces.
  public var connectTimeout: Duration? { overrides.map { $0.value.connectTimeout } ?? settings.connectTimeout }
  /// The limits on what the transport receives.
  public var limits: Limits { settings.limits }
  /// The properties that a connection must have for this exchange.
  public var connectionKey: ConnectionKey { overrides?.value.connectionKey ?? settings.connectionKey }
  /// The evaluator of the server's certificates; `nil` means the transport's own rules for system trust.
  public var evaluator: (any TrustEvaluator)? { overrides?.value.evaluator }
  /// The evaluator of the certificates of the proxy in `connectionKey`, if the connection to the proxy uses TLS.
  ///
  /// `nil` means the transport's own rules.
  public var proxyEvaluator: (any TrustEvaluator)? { overrides?.value.proxyEvaluator }
  /// The options for the use of connections.
  public var connections: ConnectionOptions { settings.connections }
  /// The executor for tasks of the exchange; `nil` means the global executor.
  ///
  /// A task that a transport makes takes it as its executor preference.
  public var executor: (any TaskExecutor)? { settings.executor }
  /// The fields whose values no message shows.
  public var secretFields: SecretFields { settings.secretFields }
  /// The content codings of the session, which decodes responses above its layers and its transport.
  ///
  /// A layer or a wrapping transport that reads the content of a coded body decodes it with them.
  public var contentCodings: [any ContentCoding] { settings.contentCodings }
  /// The value of `Proxy-Authorization` for the proxy in `connectionKey`; `nil` if the field is not sent.
  ///
  /// The transport sends it to the proxy only: in the CONNECT request for a tunnel, or in a request that the proxy
  /// forwards. It is not part of `connectionKey`, which has the session's credential for the proxy.
  public var proxyAuthorization: String? {
    get { overrides?.value.proxyAuthorization }
    set { change { $0.proxyAuthorization = newValue } }
  }
  /// Whether the exchange must not use a connection that existed when an earlier exchange of the request was lost.
  ///
  /// The session sets it when it sends a request again because a reused connection was lost before the response began:
  /// the other idle connections are probably lost as well. The transport makes a connection. Over HTTP/2 the exchange may
  /// share one that was made after the loss. The new connection may be kept as usual. Default: `false`.
  public var needsNewConnection: Bool {
    get { overrides?.value.needsNewConnection ?? false }
    set { change { $0.needsNewConnection = newValue } }
  }
  /// The violations of HTTP/1.1 that the session accepts in this exchange's response.
  ///
  /// A transport with the capability `responseTolerances` accepts them, but not in a proxy's answer to CONNECT. It closes
  /// the connection after a response whose accepted violations have `endsConnection`. For `missingCloseNotify` it calls
  /// `mayLackCloseNotify(after:)`.
  ///
  /// Default: none.
  public var tolerances: ResponseTolerances {
    get { overrides?.value.tolerances ?? [] }
    set { change { $0.tolerances = newValue } }
  }
  /// Whether a part of the response's body is kept and continued after a failure.
  var keepsPartialBody: Bool { overrides?.value.keepsPartialBody ?? false }
  /// Cancels the request that the exchange belongs to, as a cancellation by the caller does.
  public func cancelRequest() { control.cancelRequest() }
  /// Whether an evaluator, or authorities other than the system's, decide whether a server is trusted.
  public var judgesServers: Bool {
    // Compares with nil in place: reading the evaluator would copy it.
    if let overrides {
      overrides.value.evaluator != nil || overrides.value.connectionKey.namesAuthorities
    } else {
      settings.namesAuthorities
    }
  }
  /// Whether the context has the destination of the response's body, as for a test of a transport.
  ///
  /// In a session the destination is chosen after the transport has returned the response. A body that is complete by
  /// then costs least if it is made with its content (`makeBody(for:from:content:…)`).
  public var hasSink: Bool { overrides?.value.sink != nil }
  /// Whether a monitor, a layer or a wrapping transport receives the events.
  ///
  /// If not, a transport may skip an event that is expensive to make.
  public var isObserved: Bool { overrides?.value.observer != nil || control.isObserved }

  /// Describes an exchange without a session, for a test of a transport.
  ///
  /// - Parameters:
  ///   - resolver: the session's own resolver, whose number becomes that of the key. Default: none.
  ///   - events: receives each event, on the thread that emits it; calls may be concurrent, and must not block.
  ///   - sink: returns the destination of the response's body. It is called once, with the final head, on the
  ///     transport's thread.
  public init(
    id: RequestID, attempt: Int = 1, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, connectTimeout: Duration? = nil,
    limits: Limits = Limits(), connectionKey: ConnectionKey = ConnectionKey(), resolver: HostResolver? = nil,
    evaluator: (any TrustEvaluator)? = nil, proxyEvaluator: (any TrustEvaluator)? = nil,
    connections: ConnectionOptions = ConnectionOptions(), control: ExchangeControl = ExchangeControl(),
    executor: (any TaskExecutor)? = nil,
    events: @escaping @Sendable (SessionEvent.Kind) -> Void = { _ in },
    sink: @escaping @Sendable (HTTPResponse) -> BodySink
  ) {
    var connectionKey = connectionKey
    connectionKey.resolver = resolver?.id
    let settings = ExchangeSettings(
      clock: SessionClock(clock, executor: executor), now: now, timeouts: Timeouts(connect: connectTimeout),
      limits: limits, connectionKey: connectionKey, resolver: resolver, connections: connections, executor: executor)
    self.init(id: id, attempt: attempt, settings: settings, control: control)
    change {
      $0.evaluator = evaluator
      $0.proxyEvaluator = proxyEvaluator
      $0.events = events
      $0.sink = sink
    }
  }

  /// Describes an exchange with the settings of its session.
  // For the session, like the next method. Other code receives a context, or makes one for a test.
  package init(id: RequestID, attempt: Int, settings: ExchangeSettings, control: ExchangeControl) {
    self.id = id
    self.attempt = attempt
    self.settings = settings
    self.control = control
  }

  /// Returns the context with connection properties that the request determines, in the place of the session's.
  package func connecting(
    as connectionKey: ConnectionKey, within timeout: Duration?, evaluator: (any TrustEvaluator)?,
    proxyEvaluator: (any TrustEvaluator)?, proxyAuthorization: String?, tolerating tolerances: ResponseTolerances,
    keepsPartialBody: Bool
  ) -> TransferContext {
    changed { overrides in
      overrides.connectionKey = connectionKey
      overrides.connectTimeout = timeout
      overrides.evaluator = evaluator
      overrides.proxyEvaluator = proxyEvaluator
      overrides.proxyAuthorization = proxyAuthorization
      overrides.tolerances = tolerances
      overrides.keepsPartialBody = keepsPartialBody
    }
  }

  /// Returns the context with changed overrides.
  func changed(_ change: (inout ExchangeOverrides.Values) -> Void) -> TransferContext {
    var context = self
    context.change(change)
    return context
  }

  private mutating func change(_ change: (inout ExchangeOverrides.Values) -> Void) {
    var value = overrides?.value ?? ExchangeOverrides.Values(settings)
    change(&value)
    overrides = ExchangeOverrides(value)
  }

  /// Makes the context without a destination of the response's body, which the caller then opens, as a session does.
  public func withoutSink() -> TransferContext { changed { $0.sink = nil } }

  /// Makes the context of a branch: one of several exchanges that a layer sends instead of this one.
  ///
  /// For the branch whose response it returns, the layer calls `choose()` on the control. It opens the bodies of the
  /// others with `.discard(limit:)`.
  ///
  /// - Parameter control: the result of `ExchangeControl.branch()`.
  public func branch(_ control: ExchangeControl) -> TransferContext {
    var branch = hasSink ? withoutSink() : self
    branch.control = control
    return branch
  }

  /// Makes the context of an exchange that belongs to no request, with the connection properties of this exchange.
  func detached(_ control: ExchangeControl) -> TransferContext {
    var detached = withoutSink()
    detached.control = control
    detached.change {
      $0.events = { _ in }
      $0.observer = nil
      $0.arrivals = nil
    }
    return detached
  }

  /// Makes the context of an exchange whose request's body is a part of a longer upload.
  ///
  /// Progress then counts from the offset: a handler of `uploadProgress` receives `offset` plus the bytes that have
  /// been sent, of `total`. A layer uses it if it resumes an upload with `RequestBody.suffix(from:)`, or sends an
  /// upload in several exchanges. Progress of a request never decreases, also if a later exchange begins at a smaller
  /// offset. The event `sent` counts the bytes of the exchange alone.
  ///
  /// - Parameters:
  ///   - offset: the number of bytes of the upload that the server has already; a negative number means 0.
  ///   - total: the number of bytes of the whole upload; `nil` if it ends with the body. Default: `nil`.
  public func continuingUpload(at offset: Int64, of total: Int64? = nil) -> TransferContext {
    changed { $0.upload = UploadPart(offset: max(0, offset), total: total) }
  }

  /// Makes the context of an exchange whose events a layer or a wrapping transport receives.
  ///
  /// The layer passes the context on. The closure then receives each event of the transport and of the layers further
  /// in, before the monitors do: a new or reused connection (`connected`), its certificates (`secured`, for a new
  /// connection alone), interim responses (`informational`), the end of the request (`sent`), and others of
  /// `SessionEvent.Kind`. The head is that of the response that `next` or `send(_:in:)` returns, and the times are in the
  /// metrics of its body's end. Monitors receive the same events as without the closure. The closure receives the
  /// values of secret fields as they are.
  ///
  /// ```swift
  /// let observed = context.observing { event in
  ///   if case .informational(let head) = event { hints(head) }
  /// }
  /// return try await next(request, in: observed)
  /// ```
  ///
  /// - Parameter observe: is called on the thread that emits the event, and must not block. Calls do not overlap, unless a layer
  ///   further in sends the exchange more than once. It is called until the body of the response has ended.
  public func observing(_ observe: @escaping @Sendable (SessionEvent.Kind) -> Void) -> TransferContext {
    changed { $0.observer = calling(observe, then: $0.observer) }
  }

  /// Makes the context of an exchange for a layer or a wrapping transport that needs the times at which the bytes of the
  /// response's body arrive.
  ///
  /// `ResponseBody.tee(into:)` passes the bytes to an observer when the consumer takes them, which may be later.
  ///
  /// - Parameter observe: receives the number of bytes of each piece when the transport delivers it, before the consumer
  ///   can take it. A body that is made with its content is one piece. It is called on the transport's thread, must not
  ///   block, and its calls do not overlap, unless a layer further in sends the exchange more than once.
  public func observingArrivals(_ observe: @escaping @Sendable (_ byteCount: Int) -> Void) -> TransferContext {
    changed { $0.arrivals = calling(observe, then: $0.arrivals) }
  }

  /// Sends an event to the session's monitors.
  public func emit(_ event: SessionEvent.Kind) {
    if let overrides {
      overrides.value.observer?(event)
      if let events = overrides.value.events { return events(event) }
    }
    control.supervisor?.receive(event, attempt: attempt)
  }

  /// Returns a function that sends events of the request to the session's monitors, and does not keep the request.
  ///
  /// Work that may outlast the request uses it, such as the writing of the response to a store. After the program has
  /// released the request, monitors receive nothing. The function keeps the closure of `observing(_:)`, which therefore must
  /// not keep the request, and calls it as long as the work reports events. It may be called on any thread. In a test
  /// without a session it calls the context's `events`.
  public func makeEventEmitter() -> @Sendable (SessionEvent.Kind) -> Void {
    let (observer, events) = (overrides?.value.observer, overrides?.value.events)
    return { [weak supervisor = control.supervisor, attempt] event in
      observer?(event)
      if let events { return events(event) }
      supervisor?.receive(event, attempt: attempt)
    }
  }

  /// Reports the extent of the request's body before its first byte is sent.
  func willSend(_ length: Int64?) { control.willSend(overrides?.value.upload ?? UploadPart(), length: length) }

  /// Reports a part of the request's body that has been sent, or its end.
  ///
  /// - Parameter sum: the number of bytes that have been sent in this sending.
  func didSend(_ part: BodyRead, sum: Int64, of length: Int64?) {
    switch part {
    case .bytes(let count):
      control.didSend(count, sum: sum)
      if count > 0, sum == length { emit(.sent(bytes: sum)) }
    // A body with a known length has reported its end at its last byte.
    case .end: if length == nil { emit(.sent(bytes: sum)) }
    case .pending: break
    }
  }

  /// Makes both sides of the body that follows a final head, for a transport that writes it piece by piece.
  ///
  /// - Parameters:
  ///   - source: the sender of the response. A proxy's refusal is neither followed as a redirect nor answered as a
  ///     server's challenge.
  ///   - resume: called from any thread when the transport may continue after `pause`.
  public func makeBody(
    for head: HTTPResponse, from source: TransportResponse.Source = .origin, resume: @escaping @Sendable () -> Void
  ) -> (body: ResponseBody, writer: ResponseBodyWriter) {
    let body = makeBody(for: head, from: source, nil, resume: resume)
    return (body, ResponseBodyWriter(exchange: body.exchange, arrivals: overrides?.value.arrivals))
  }

  /// Makes the body that follows a final head from content that is complete.
  ///
  /// The data are not copied if the session collects them and no content coding is removed.
  ///
  /// - Parameters:
  ///   - source: as for `makeBody(for:from:resume:)`.
  ///   - trailers: the trailers after the content. Default: none.
  ///   - metrics: the metrics of the exchange. Default: empty.
  public func makeBody(
    for head: HTTPResponse, from source: TransportResponse.Source = .origin, content: Data,
    trailers: HTTPFields? = nil, metrics: TransferMetrics = TransferMetrics()
  ) -> ResponseBody {
    let end = BodyEnd(data: content, trailers: trailers, metrics: metrics)
    return makeBody(for: head, from: source, end, resume: nil)
  }

  private func makeBody(
    for head: HTTPResponse, from source: TransportResponse.Source, _ end: BodyEnd?, resume: (@Sendable () -> Void)?
  ) -> ResponseBody {
    control.touch()
    control.record(source)
    let body = ResponseBody(exchange: control.beginBody(end, resume: resume))
    if let count = end?.byteCount {
      body.exchange.activity.addReceived(Int(count))
      if count > 0 { overrides?.value.arrivals?(Int(count)) }
    }
    if let overrides, let sink = overrides.value.sink {
      body.open(sink(head))
      body.exchange.bodyEnded()
    }
    return body
  }
}

extension TransferContext: HidesSecrets {
  /// The request and the attempt, without the proxy's credential.
  public var description: String { "the context of \(id), attempt \(attempt)" }
}

/// Returns a closure that calls the first closure, and then the second one if there is one.
private func calling<Value>(
  _ first: @escaping @Sendable (Value) -> Void, then second: (@Sendable (Value) -> Void)?
) -> @Sendable (Value) -> Void {
  guard let second else { return first }
  return { value in
    first(value)
    second(value)
  }
}
