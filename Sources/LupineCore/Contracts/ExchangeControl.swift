import LupineSupport
import Synchronization

/// The state of one exchange: its cancellation, its suspension, and the time of its last activity.
///
/// Any thread may use it: the transport reports what it does, the request and its deadlines cancel and suspend.
public final class ExchangeControl: Sendable {
  private struct State {
    var reason: LupineError?
    var handler: (@Sendable () -> Void)?
    /// The closures that end the waits of the exchange, in the order in which the waits began.
    var interruptions: [Interruption] = []
    var isFinished = false
    var isSuspended = false
    /// Whether this branch supplies the response of its parent.
    var isChosen = false
    /// The branch that carries this exchange's body, until that body ends.
    var carrier: ExchangeControl?
    var source = TransportResponse.Source.origin

    mutating func takeInterruptions() -> [Interruption] {
      defer { interruptions = [] }
      return interruptions
    }
  }

  private struct Interruption {
    let wait: ObjectIdentifier
    let end: @Sendable (LupineError) -> Void
  }

  /// The values to release outside the lock.
  private struct Released {
    var handler: (@Sendable () -> Void)?
    var interruptions: [Interruption] = []
    var carrier: ExchangeControl?
  }

  private let state = Mutex(State())
  /// The response's body.
  let channel = BodyChannel()
  let activity: ExchangeActivity
  /// Whether received bytes belong to the response that the request returns, and not to a redirect or a challenge.
  let countsAsProgress = Atomic<Bool>(false)
  /// The supervisor of the request that the exchange belongs to; `nil` for an exchange without a request, as in a test
  /// of a transport.
  let supervisor: (any ExchangeSupervisor)?
  private let parent: ExchangeControl?

  /// Creates the control of an exchange that begins now.
  ///
  /// - Parameter now: the time since some fixed moment; called from any thread. Default: always zero.
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
    activity = ExchangeActivity(now: now)
    self.supervisor = supervisor
    self.parent = parent
  }

  /// Cancels the request that the exchange belongs to, as a cancellation by the caller does.
  func cancelRequest() { supervisor?.cancelRequest() }

  /// Whether a monitor receives the request's events; true if there is no request.
  var isObserved: Bool { supervisor?.isObserved ?? true }

  /// The reason for the cancellation; `nil` if the exchange is not cancelled.
  public var reason: LupineError? { state.withLock { $0.reason } }

  /// The reason for the cancellation of this exchange or of the parent exchange that it belongs to.
  var cause: LupineError? { reason ?? parent?.cause }

  /// Ends the exchange.
  ///
  /// Only the first call has an effect, and only before the end of the exchange.
  public func cancel(_ reason: LupineError) {
    let released = state.withLock { state in
      guard state.reason == nil, !state.isFinished else { return Released() }
      state.reason = reason
      return Released(
        handler: state.handler.take(), interruptions: state.takeInterruptions(), carrier: state.carrier ?? self)
    }
    for interruption in released.interruptions { interruption.end(reason) }
    released.handler?()
    // Without a cancellation handler the body ends here, so that its consumer does not wait forever. The handler is
    // absent if the transport registered none, or if only buffered bytes are left.
    released.carrier?.cancelBody(reason, isForwarded: released.handler != nil)
  }

  /// Whether this is the body of the exchange.
  // For the session, which ends an exchange whose response an interceptor has replaced.
  package func owns(_ body: ResponseBody) -> Bool {
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
  func record(_ source: TransportResponse.Source) {
    if source != .origin { state.withLock { $0.source = source } }
  }

  func onCancel(_ handler: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if state.reason == nil, !state.isFinished { state.handler = handler }
      return state.reason != nil
    }
    if isCancelled { handler() }
  }

  /// Sets the closure that ends a wait, such as that for a request's body; `nil` removes it when the wait is over.
  ///
  /// It is independent of the handler of the transport. It is called at most once, on the thread that cancels the
  /// exchange, and at once if the exchange is already cancelled.
  ///
  /// - Parameter wait: identifies the wait.
  func setInterruption(of wait: AnyObject, _ end: (@Sendable (LupineError) -> Void)?) {
    let wait = ObjectIdentifier(wait)
    let (former, reason) = state.withLock { state in
      let former = state.interruptions
      state.interruptions.removeAll { $0.wait == wait }
      if let end, state.reason == nil, !state.isFinished {
        state.interruptions.append(Interruption(wait: wait, end: end))
      }
      return (former, state.reason)
    }
    // Released outside the lock.
    _ = consume former
    if let reason { end?(reason) }
  }

  /// Releases the handler and the body at the end of the exchange.
  ///
  /// A body that has not ended accepts no more bytes. The caller may then close or reuse what the sink refers to, such
  /// as a file descriptor, even if the transport still runs.
  ///
  /// - Parameter body: a body that has ended. If it is the body of this exchange, no abandonment is needed.
  public func finish(after body: ResponseBody? = nil) {
    countsAsProgress.store(false, ordering: .relaxed)
    let released = state.withLock { state in
      state.isFinished = true
      return Released(
        handler: state.handler.take(), interruptions: state.takeInterruptions(), carrier: state.carrier.take())
    }
    let carrier = released.carrier ?? self
    if body?.exchange !== carrier { carrier.channel.finishExchange() }
  }

  /// Whether only the reader of the response's body can make the exchange continue.
  private var isHeldBack: Bool { state.withLock { $0.carrier ?? self }.channel.isHeldBack }

  /// The metrics that are known without the transport: the time since the exchange began, and the bytes of both bodies
  /// so far.
  public var metrics: TransferMetrics { activity.metrics }

  /// The time of the last activity, for the idle timeout; `now` while only the reader of the response's body can make
  /// the exchange continue.
  // For the session, which enforces the idle timeout.
  package func lastActivity(now: Duration) -> Duration { isHeldBack ? now : activity.last }

  func touch() { recordActivity(at: activity.now()) }

  /// The time when the body began.
  var headArrived: Duration { activity.bodyBegun }

  func recordActivity(at time: Duration) {
    activity.record(at: time)
    parent?.recordActivity(at: time)
  }

  /// Whether received bytes count as progress.
  ///
  /// Of several branches only the chosen one counts.
  var isAnswer: Bool {
    guard let parent else { return countsAsProgress.load(ordering: .relaxed) }
    return state.withLock { $0.isChosen } && parent.isAnswer
  }

  /// Makes the control of a branch: one of several exchanges that a layer sends instead of this one, as hedging does.
  ///
  /// The layer sends each branch with its own context; see `TransferContext.branch(_:)`. It calls `choose()` on
  /// the branch whose response is the answer. Activity of a branch resets the idle timeout of this exchange. A
  /// cancellation of this exchange is not forwarded: the layer registers a handler with `TransferContext.onCancel(_:)`
  /// and cancels its branches.
  public func branch() -> ExchangeControl {
    ExchangeControl(now: activity.now, for: supervisor, parent: self)
  }

  /// Makes this branch's response the response of its parent exchange.
  ///
  /// Call it on one branch only, when its response has arrived and before the layer returns it.
  public func choose() {
    let (source, carrier) = state.withLock { state in
      state.isChosen = true
      return (state.source, state.carrier)
    }
    parent?.record(source)
    if channel.hasBegun { parent?.setCarrier(carrier ?? self) }
  }

  /// Suspends or resumes the response's body.
  // For the session: a program suspends its request.
  package func setSuspended(_ isSuspended: Bool) {
    let carrier = state.withLock { state in
      state.isSuspended = isSuspended
      return state.carrier
    }
    touch()
    forwardSuspension(to: carrier ?? self)
  }
}

// The response's body

extension ExchangeControl {
  /// Begins the response's body.
  ///
  /// - Parameters:
  ///   - end: the end of a body that is complete; `nil` for one that the transport writes.
  ///   - resume: makes a paused transport continue.
  /// - Returns: the exchange that owns the body: this one, or a new branch if this one already has a body.
  func beginBody(_ end: BodyEnd? = nil, resume: (@Sendable () -> Void)? = nil) -> ExchangeControl {
    guard channel.begin(end, resume: resume) else {
      let branch = branch()
      branch.choose()
      return branch.beginBody(end, resume: resume)
    }
    activity.beginBody()
    setCarrier(self)
    return self
  }

  /// Makes the response's body from complete data.
  ///
  /// The bytes do not count as progress.
  // For the session, which moves the data of an interceptor's response to its destination.
  package func makeBody(_ sink: BodySink, of end: BodyEnd) -> ResponseBody {
    let body = ResponseBody(exchange: beginBody(end))
    body.open(sink)
    return body
  }

  /// Releases the branch that carries the body of the parent, once that body has ended.
  func bodyEnded() {
    if let parent, channel.finalEnd != nil { parent.bodyEnded(of: self) }
  }

  private func bodyEnded(of carrier: ExchangeControl) {
    state.withLock { if $0.carrier === carrier { $0.carrier = nil } }
    parent?.bodyEnded(of: carrier)
  }

  /// - Parameter isForwarded: whether the transport has received the cancellation and ends a body that is not complete.
  private func cancelBody(_ error: LupineError, isForwarded: Bool) {
    channel.cancel(error, isForwarded: isForwarded)
    bodyEnded()
  }

  /// Forwards cancellation and back-pressure of this exchange to `body`.
  private func setCarrier(_ carrier: ExchangeControl) {
    let (isSuspended, isChosen, isFinished, reason) = state.withLock { state in
      if carrier !== self, !state.isFinished { state.carrier = carrier }
      return (state.isSuspended, state.isChosen, state.isFinished, state.reason)
    }
    if isFinished { carrier.channel.finishExchange() }
    if isSuspended { forwardSuspension(to: carrier) }
    if isChosen { parent?.setCarrier(carrier) }
    if let reason { carrier.cancelBody(reason, isForwarded: false) }
  }

  /// Forwards the suspension state to the body.
  ///
  /// Repeats until the state is stable, because several threads may change it.
  private func forwardSuspension(to carrier: ExchangeControl) {
    var applied: Bool?
    while true {
      let isSuspended = state.withLock { $0.isSuspended }
      if applied == isSuspended { return }
      carrier.channel.setSuspended(isSuspended)
      applied = isSuspended
    }
  }
}
