import LupineSupport
import Synchronization

/// The state of one exchange: its cancellation, its suspension, and the time of its last activity.
public final class ExchangeControl: Sendable {
  private struct State {
    var reason: LupineError?
    var handler: (@Sendable () -> Void)?
    var isFinished = false
    var isSuspended = false
    /// Whether this branch supplies the response of its parent.
    var isChosen = false
    /// The branch that carries this exchange's body, until that body ends.
    var carrier: ExchangeControl?
    var source = TransportResponse.Source.origin
  }

  /// The values to release outside the lock.
  private struct Released {
    var handler: (@Sendable () -> Void)?
    var carrier: ExchangeControl?
  }

  private let state = Mutex(State())
  /// The response's body.
  let channel = BodyChannel()
  private let now: @Sendable () -> Duration
  private let lastActivity: Atomic<Int64>
  private let bodyBegun = Atomic<Int64>(0)
  private let begun: Duration
  private let bytesSent = Atomic<Int64>(0)
  private let bytesReceived = Atomic<Int64>(0)
  /// Whether received bytes belong to the response that the request returns, and not to a redirect or a challenge.
  private let counts = Atomic<Bool>(false)
  /// The supervisor of the request that the exchange belongs to; `nil` for an exchange without a request, as in a test
  /// of a transport.
  let supervisor: (any ExchangeSupervisor)?
  private let parent: ExchangeControl?

  /// Creates the control of an exchange that begins now.
  ///
  /// - Parameter now: the time since some fixed moment. Default: always zero.
  public convenience init(now: @escaping @Sendable () -> Duration = { .zero }) {
    self.init(now: now, for: nil, parent: nil)
  }

  /// Creates the control of an exchange of a request.
  // For the session, whose requests supervise their exchanges.
  package convenience init(now: @escaping @Sendable () -> Duration, for supervisor: any ExchangeSupervisor) {
    self.init(now: now, for: supervisor, parent: nil)
  }

  private init(
    now: @escaping @Sendable () -> Duration, for supervisor: (any ExchangeSupervisor)?, parent: ExchangeControl?
  ) {
    self.now = now
    self.supervisor = supervisor
    self.parent = parent
    begun = now()
    lastActivity = Atomic(begun.nanoseconds)
  }

  /// Cancels the request that the exchange belongs to, as a cancellation by the caller does.
  func cancelRequest() { supervisor?.cancelRequest() }

  /// Whether a monitor receives the request's events; true if there is no request.
  var isObserved: Bool { supervisor?.isObserved ?? true }

  /// The reason for the cancellation; `nil` if the exchange is not cancelled.
  public var reason: LupineError? { state.withLock { $0.reason } }

  /// The reason for the cancellation of this exchange, or of the one that it is a branch of.
  var cause: LupineError? { reason ?? parent?.cause }

  /// Ends the exchange.
  ///
  /// Only the first call has an effect. After the end of the exchange a call has none.
  public func cancel(_ reason: LupineError) {
    let released = state.withLock { state in
      guard state.reason == nil, !state.isFinished else { return Released() }
      state.reason = reason
      return Released(handler: state.handler.take(), carrier: state.carrier ?? self)
    }
    released.handler?()
    // Without a cancellation handler the body ends here, so that its consumer does not wait forever. The handler is
    // absent if the transport registered none, or if only buffered bytes are left.
    released.carrier?.endBody(reason, isTold: released.handler != nil)
  }

  /// Whether this is the body of the exchange.
  // For the session, which ends an exchange whose response an interceptor has replaced.
  package func carries(_ body: ResponseBody) -> Bool {
    var exchange = body.exchange
    while exchange !== self {
      guard let parent = exchange.parent, exchange.state.withLock({ $0.isChosen }) else { return false }
      exchange = parent
    }
    return true
  }

  /// The sender of the response; `origin` until a head has arrived.
  var source: TransportResponse.Source { state.withLock { $0.source } }

  /// Records the sender of the response before the sink receives the head.
  func answers(_ source: TransportResponse.Source) {
    if source != .origin { state.withLock { $0.source = source } }
  }

  func onCancel(_ handler: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if state.reason == nil, !state.isFinished { state.handler = handler }
      return state.reason != nil
    }
    if isCancelled { handler() }
  }

  /// Releases the handler and the body at the end of the exchange.
  ///
  /// A body that has not ended accepts no more bytes. The caller may then close or reuse what the sink refers to, such
  /// as a file descriptor, even if the transport still runs.
  ///
  /// - Parameter body: a body that has ended well. If it is the body of this exchange, no abandonment is needed.
  public func finish(after body: ResponseBody? = nil) {
    counts.store(false, ordering: .relaxed)
    let released = state.withLock { state in
      state.isFinished = true
      return Released(handler: state.handler.take(), carrier: state.carrier.take())
    }
    let carrier = released.carrier ?? self
    if body?.exchange !== carrier { carrier.channel.leave() }
  }

  /// Whether only the reader of the response's body can make the exchange continue.
  private var isHeldBack: Bool { state.withLock { $0.carrier ?? self }.channel.isHeldBack }

  /// The metrics that are known without the transport: the time since the exchange began, and the bytes of both bodies
  /// so far.
  public var metrics: TransferMetrics {
    var metrics = TransferMetrics()
    metrics.total = now() - begun
    metrics.bytesSent = bytesSent.load(ordering: .relaxed)
    metrics.bytesReceived = bytesReceived.load(ordering: .relaxed)
    return metrics
  }

  /// The time of the last activity, for the idle timeout; `now` while only the reader of the response's body can make the
  /// exchange continue.
  // For the session, which enforces the idle timeout.
  package func lastActivity(now: Duration) -> Duration { isHeldBack ? now : lastActive }

  private var lastActive: Duration { .nanoseconds(lastActivity.load(ordering: .relaxed)) }

  func touch() { noteActivity(at: now()) }

  /// The time when the body began.
  var headArrived: Duration { .nanoseconds(bodyBegun.load(ordering: .relaxed)) }

  private func noteActivity(at time: Duration) {
    lastActivity.store(time.nanoseconds, ordering: .relaxed)
    parent?.noteActivity(at: time)
  }

  /// Records the extent of the request's body before it is sent.
  ///
  /// - Parameter length: the number of bytes of the body; `nil` if it is not known.
  func willSend(_ part: UploadPart, length: Int64?) {
    supervisor?.willSend(from: part.offset, length: part.rest ?? length, at: now())
  }

  /// - Parameter sum: the number of bytes that have been sent of this body.
  func didSend(_ count: Int, sum: Int64) {
    let now = now()
    noteActivity(at: now)
    bytesSent.add(Int64(count), ordering: .relaxed)
    supervisor?.didSend(sum, at: now)
  }

  /// Records bytes that a transport has sent without a reader; returns the number of bytes sent so far.
  func didSend(_ count: Int, of part: UploadPart, length: Int64?) -> Int64 {
    let before = bytesSent.load(ordering: .relaxed)
    if before == 0 { willSend(part, length: length) }
    didSend(count, sum: before + Int64(count))
    return before + Int64(count)
  }

  func didReceive(_ count: Int) {
    let now = now()
    noteActivity(at: now)
    let sum = bytesReceived.add(Int64(count), ordering: .relaxed).newValue
    if let supervisor, isAnswer { supervisor.didReceive(sum, at: now) }
  }

  /// Reports the number of bytes that have been written to a file.
  ///
  /// The progress of a download never exceeds what a process that is killed leaves in the file.
  func didWrite(_ count: Int64) { supervisor?.didReceive(count, at: now()) }

  /// Counts received bytes as progress of the download, until the exchange is over.
  ///
  /// - Parameter body: the response's body, of which some bytes may have arrived.
  // For the session, which alone knows which response the request returns.
  package func beginsAnswer(with body: ResponseBody) {
    counts.store(true, ordering: .relaxed)
    let early = body.exchange.bytesReceived.load(ordering: .relaxed)
    if early > 0, carries(body) { supervisor?.didReceive(early, at: lastActive) }
  }

  /// Whether received bytes count as progress.
  ///
  /// Of several branches only the chosen one counts.
  private var isAnswer: Bool {
    guard let parent else { return counts.load(ordering: .relaxed) }
    return state.withLock { $0.isChosen } && parent.isAnswer
  }

  /// Makes the control of a branch: one of several exchanges that a layer sends instead of this one, as hedging does.
  ///
  /// The layer sends each branch with its own context; see `TransferContext.branch(_:)`. It calls `choose()` on
  /// the branch whose response is the answer. Activity of a branch resets the idle timeout of this exchange. A
  /// cancellation of this exchange is not forwarded: the layer registers a handler with `TransferContext.onCancel(_:)`
  /// and cancels its branches.
  public func branch() -> ExchangeControl {
    ExchangeControl(now: now, for: supervisor, parent: self)
  }

  /// Makes this branch's response the response of its parent exchange.
  ///
  /// Call it on one branch only, when its response has arrived and before the layer returns it.
  public func choose() {
    let (source, carrier) = state.withLock { state in
      state.isChosen = true
      return (state.source, state.carrier)
    }
    parent?.answers(source)
    if channel.hasBegun { parent?.carryBody(by: carrier ?? self) }
  }

  /// Suspends or resumes the response's body.
  // For the session: a program suspends its request.
  package func setSuspended(_ isSuspended: Bool) {
    let carrier = state.withLock { state in
      state.isSuspended = isSuspended
      return state.carrier
    }
    touch()
    settle(carrier ?? self)
  }
}

// The response's body

extension ExchangeControl {
  /// Begins the response's body.
  ///
  /// - Returns: the exchange that owns the body: this one, or a new branch if this one already has a body.
  func beginBody(resume: @escaping @Sendable () -> Void) -> ExchangeControl {
    guard channel.begin(resume: resume) else {
      let branch = branch()
      branch.choose()
      return branch.beginBody(resume: resume)
    }
    bodyBegun.store(lastActivity.load(ordering: .relaxed), ordering: .relaxed)
    carryBody(by: self)
    return self
  }

  /// Makes the response's body from complete data.
  ///
  /// The bytes do not count as progress.
  // For the session, which moves the data of an interceptor's response to its destination.
  package func makeBody(_ sink: BodySink, of end: BodyEnd) -> ResponseBody {
    let exchange = beginBody(resume: {})
    if let fault = exchange.channel.open(sink) { exchange.channel.fail(fault.measured(end.metrics)) }
    do throws(LupineError) {
      // The bytes are in memory already: the sink accepts all of them, whatever its window.
      _ = try exchange.channel.write(end.data)
      exchange.channel.finish(trailers: end.trailers, metrics: end.metrics)
    } catch {
      exchange.channel.fail(error.measured(end.metrics))
    }
    return ResponseBody(exchange: exchange)
  }

  /// Releases the branch that carries the body of the parent, once that body has ended.
  func bodyEnded() {
    if let parent, channel.ended != nil { parent.bodyEnded(of: self) }
  }

  private func bodyEnded(of carrier: ExchangeControl) {
    state.withLock { if $0.carrier === carrier { $0.carrier = nil } }
    parent?.bodyEnded(of: carrier)
  }

  /// - Parameter isTold: whether the transport has received the cancellation and ends a body that is not complete.
  private func endBody(_ error: LupineError, isTold: Bool) {
    channel.cancel(error, isTold: isTold)
    bodyEnded()
  }

  /// Forwards cancellation and back-pressure of this exchange to `body`.
  private func carryBody(by carrier: ExchangeControl) {
    let (isSuspended, isChosen, isFinished, reason) = state.withLock { state in
      if carrier !== self, !state.isFinished { state.carrier = carrier }
      return (state.isSuspended, state.isChosen, state.isFinished, state.reason)
    }
    if isFinished { carrier.channel.leave() }
    if isSuspended { settle(carrier) }
    if isChosen { parent?.carryBody(by: carrier) }
    if let reason { carrier.endBody(reason, isTold: false) }
  }

  /// Forwards the suspension state to the body.
  ///
  /// Repeats until the state is stable, because several threads may change it.
  private func settle(_ carrier: ExchangeControl) {
    var told: Bool?
    while true {
      let isSuspended = state.withLock { $0.isSuspended }
      if told == isSuspended { return }
      carrier.channel.setSuspended(isSuspended)
      told = isSuspended
    }
  }
}

/// Where a request's body lies in a longer upload.
struct UploadPart: Sendable {
  /// The number of bytes before the body.
  var offset: Int64 = 0
  /// The number of bytes of the whole upload; `nil` if it ends with the body.
  var total: Int64?

  /// The number of bytes from the offset to the end of the upload; `nil` if it ends with the body.
  var rest: Int64? { total.map { max(0, $0 - offset) } }
}
