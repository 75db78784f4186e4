import LupineSupport
import Synchronization

/// The life of one exchange: how it is cancelled or held back, and when it last moved a byte.
public final class ExchangeControl: Sendable {
  private struct State {
    var reason: LupineError?
    var handler: (@Sendable () -> Void)?
    var isFinished = false
    var isSuspended = false
    /// Whether this branch is the one that stands for its parent.
    var isChosen = false
    /// The branch whose body stands for this one's, until that has ended.
    var bearer: ExchangeControl?
    var source = TransportResponse.Source.origin
  }

  /// What is let go of outside the lock; a type of its own, since a closure in a tuple costs an allocation.
  private struct Released {
    var handler: (@Sendable () -> Void)?
    var bearer: ExchangeControl?
  }

  private let state = Mutex(State())
  /// The response's body.
  let channel = BodyChannel()
  private let now: @Sendable () -> Duration
  private let lastActivity: Atomic<Int64>
  private let begun: Duration
  private let bytesSent = Atomic<Int64>(0)
  private let bytesReceived = Atomic<Int64>(0)
  /// Whether what is received is what the request asked for, and no page on the way to it.
  private let counts = Atomic<Bool>(false)
  /// The request that the exchange belongs to; `nil` for an exchange without one, as in a test of a transport.
  let supervisor: (any ExchangeSupervisor)?
  private let parent: ExchangeControl?

  /// A life that begins now.
  ///
  /// - Parameter now: the time since some fixed moment. Default: a clock that stands still.
  public convenience init(now: @escaping @Sendable () -> Duration = { .zero }) { self.init(now: now, for: nil) }

  package init(
    now: @escaping @Sendable () -> Duration, for supervisor: (any ExchangeSupervisor)?, parent: ExchangeControl? = nil
  ) {
    self.now = now
    self.supervisor = supervisor
    self.parent = parent
    begun = now()
    lastActivity = Atomic(begun.nanoseconds)
  }

  /// Ends the request that the exchange belongs to, as its program would.
  func cancelRequest() { supervisor?.cancelRequest() }

  /// Whether a monitor hears the request's events; without a request somebody else may.
  var isObserved: Bool { supervisor?.isObserved ?? true }

  /// Why the exchange was cancelled, once it was.
  public var reason: LupineError? { state.withLock { $0.reason } }

  /// Ends the exchange.
  ///
  /// The first reason counts; after the end of the exchange nothing happens.
  public func cancel(_ reason: LupineError) {
    let released = state.withLock { state in
      guard state.reason == nil, !state.isFinished else { return Released() }
      state.reason = reason
      return Released(handler: state.handler.take(), bearer: state.bearer ?? self)
    }
    released.handler?()
    // Where nobody registered what ends the exchange, or it is over but for what waits to be taken, its body ends here, so
    // that no one waits for it in vain.
    released.bearer?.endBody(reason, isTold: released.handler != nil)
  }

  /// Whether this is the body of the exchange.
  package func carries(_ body: ResponseBody) -> Bool {
    var exchange = body.exchange
    while exchange !== self {
      guard let parent = exchange.parent, exchange.state.withLock({ $0.isChosen }) else { return false }
      exchange = parent
    }
    return true
  }

  /// Who answered, once somebody did.
  package var source: TransportResponse.Source { state.withLock { $0.source } }

  /// Notes who answered, before the sink is asked about the head.
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

  /// Lets go of the handler and the body; the exchange is over.
  ///
  /// A body that has not ended takes no byte from here on: what its sink named, as a file's descriptor, may be closed or
  /// used again, whatever the transport still does.
  ///
  /// - Parameter body: a body that has ended well; where it is this exchange's, none is left to be given up.
  public func finish(after body: ResponseBody? = nil) {
    counts.store(false, ordering: .relaxed)
    let released = state.withLock { state in
      state.isFinished = true
      return Released(handler: state.handler.take(), bearer: state.bearer.take())
    }
    let bearer = released.bearer ?? self
    if body?.exchange !== bearer { bearer.channel.leave() }
  }

  /// Whether the response's body waits for its reader alone, so that no byte can move.
  package var isHeldBack: Bool { state.withLock { $0.bearer ?? self }.channel.isHeldBack }

  /// What the exchange has cost so far, as it is known without its transport.
  package var cost: TransferMetrics {
    var metrics = TransferMetrics()
    metrics.total = now() - begun
    metrics.bytesSent = bytesSent.load(ordering: .relaxed)
    metrics.bytesReceived = bytesReceived.load(ordering: .relaxed)
    return metrics
  }

  /// When the last byte moved, as a time of the clock it was made with.
  package var lastActive: Duration { .nanoseconds(lastActivity.load(ordering: .relaxed)) }

  package func touch() { noteActivity(at: now()) }

  private func noteActivity(at time: Duration) {
    lastActivity.store(time.nanoseconds, ordering: .relaxed)
    parent?.noteActivity(at: time)
  }

  /// Notes the length of the request's body before it goes out.
  func willSend(total: Int64?) {
    supervisor?.willSend(total: total, at: now())
  }

  func didSend(_ count: Int) {
    let now = now()
    noteActivity(at: now)
    let sum = bytesSent.add(Int64(count), ordering: .relaxed).newValue
    supervisor?.didSend(sum, at: now)
  }

  func didReceive(_ count: Int) {
    let now = now()
    noteActivity(at: now)
    let sum = bytesReceived.add(Int64(count), ordering: .relaxed).newValue
    if let supervisor, isAnswer { supervisor.didReceive(sum, at: now) }
  }

  /// Has what is received count as the download's progress, until the exchange is over.
  package func beginsAnswer() { counts.store(true, ordering: .relaxed) }

  /// Whether what is received counts; of several exchanges that are made in the place of one, only the chosen one's does.
  private var isAnswer: Bool {
    guard let parent else { return counts.load(ordering: .relaxed) }
    return state.withLock { $0.isChosen } && parent.isAnswer
  }

  /// Makes the control of one of several exchanges that a layer sends in the place of this one, as hedging does.
  ///
  /// The layer sends each branch with a context of its own; see `TransferContext.branch(_:sink:)`. It calls `choose()` on
  /// the branch whose response is the answer. Activity of a branch counts for the idle timeout of this exchange. A
  /// cancellation of this exchange is not forwarded: the layer registers `TransferContext.onCancel(_:)` and cancels its
  /// branches.
  public func branch() -> ExchangeControl {
    ExchangeControl(now: now, for: supervisor, parent: self)
  }

  /// Makes this branch's response the response of the exchange that it was made for.
  ///
  /// Call it in the sink of the branch's context, before the sink returns where the body goes. Call it on one branch.
  public func choose() {
    let source = state.withLock { state in
      state.isChosen = true
      return state.source
    }
    parent?.answers(source)
  }

  /// Holds the response's body back, or lets it go on.
  package func setSuspended(_ isSuspended: Bool) {
    let bearer = state.withLock { state in
      state.isSuspended = isSuspended
      return state.bearer
    }
    touch()
    settle(bearer ?? self)
  }
}

// The response's body

extension ExchangeControl {
  /// Begins the response's body.
  ///
  /// - Returns: whose body it is: this exchange's own, or, where it has had one before, that of a branch in its place.
  func beginBody(_ sink: BodySink, resume: @escaping @Sendable () -> Void) -> ExchangeControl {
    guard channel.begin(sink, resume: resume) else {
      let branch = branch()
      branch.choose()
      return branch.beginBody(sink, resume: resume)
    }
    bear(by: self)
    return self
  }

  /// Makes the response's body of one that has arrived already, which counts as no progress.
  package func makeBody(_ sink: BodySink, of end: BodyEnd) -> ResponseBody {
    let exchange = beginBody(sink, resume: {})
    do throws(LupineError) {
      // The bytes are in memory already: the sink takes all of them, whatever its window.
      _ = try exchange.channel.write(end.data)
      exchange.channel.finish(trailers: end.trailers, metrics: end.metrics)
    } catch {
      exchange.channel.fail(error.measured(end.metrics))
    }
    return ResponseBody(exchange: exchange)
  }

  /// Lets go of what stands for this exchange's body, or for its parent's, and has ended.
  func bodyEnded() {
    if let parent, channel.ended != nil { parent.bodyEnded(of: self) }
  }

  private func bodyEnded(of bearer: ExchangeControl) {
    state.withLock { if $0.bearer === bearer { $0.bearer = nil } }
    parent?.bodyEnded(of: bearer)
  }

  /// - Parameter isTold: whether the transport has been told, and ends a body that still comes.
  private func endBody(_ error: LupineError, isTold: Bool) {
    channel.cancel(error, isTold: isTold)
    bodyEnded()
  }

  /// Forwards cancellation and back-pressure of this exchange to `body`.
  private func bear(by bearer: ExchangeControl) {
    let (isSuspended, isChosen, isFinished, reason) = state.withLock { state in
      if bearer !== self, !state.isFinished { state.bearer = bearer }
      return (state.isSuspended, state.isChosen, state.isFinished, state.reason)
    }
    if isFinished { bearer.channel.leave() }
    if isSuspended { settle(bearer) }
    if isChosen { parent?.bear(by: bearer) }
    if let reason { bearer.endBody(reason, isTold: false) }
  }

  /// Tells the body what holds, until what it was told last is what holds: several threads may tell it.
  private func settle(_ bearer: ExchangeControl) {
    var told: Bool?
    while true {
      let isSuspended = state.withLock { $0.isSuspended }
      if told == isSuspended { return }
      bearer.channel.setSuspended(isSuspended)
      told = isSuspended
    }
  }
}
