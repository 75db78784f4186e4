import HTTPTypes
public import LupineCore
import Synchronization

/// The execution of one request, which all copies of the request share.
///
/// `Session.makeExecution(handler:request:)` makes one; a type that adopts `SessionRequest` has it. The first task that
/// awaits the outcome runs the request. If a completion handler is added first, a new task runs the request and then
/// calls the handlers in order. The methods can be called from any thread.
public final class RequestExecution: Sendable {
  /// The request's number in its session.
  public let id: RequestID
  /// The session of the request.
  public let session: Session
  /// The request as the program described it, or the error of its description.
  public let original: Result<OutgoingRequest, LupineError>
  let state: Mutex<ExecutionState>
  /// The handler of the response; `nil` stores its body in memory.
  let handler: (any ResponseHandler)?
  /// The same handler if it hands the body over at its head.
  let streamedHandler: (any StreamedResponseHandler)?
  /// Which monitors receive the events; with `none`, no events are created.
  let observation: Atomic<Observation>
  /// Whether a retrier of the request decides about failures of serializers.
  ///
  /// Each awaited value reads it, so it is outside the lock.
  let retriesSerializers = Atomic(false)
  let progress = RequestProgress()

  init(
    _ original: consuming Result<OutgoingRequest, LupineError>, session: Session,
    handler: (any ResponseHandler)? = nil
  ) {
    id = session.nextID()
    self.session = session
    self.original = original
    self.handler = handler
    streamedHandler = handler.flatMap { $0 as? any StreamedResponseHandler }
    observation = Atomic(session.monitors.isEmpty ? .none : .session)
    state = Mutex(ExecutionState(isHeld: !session.configuration.startsImmediately))
  }

  /// Counts a request that has not started as running, so that the session can end it.
  ///
  /// `finishRequests()` then waits for it. A request that starts is counted without this call. The call is needed for a
  /// request that is read while it is suspended.
  ///
  /// - Throws: the reason why the session accepts no more requests.
  public func register() throws(LupineError) {
    try session.registry.insert(self)
    // A request that ended before the insertion must be removed here.
    if state.withLock({ $0.hasFinished }) { session.registry.remove(self, isDelivered: false) }
  }

  /// Adds validators, which run after those that were added before.
  ///
  /// - Returns: false, without a change, if the request has started.
  public func add(validators: [ResponseValidator]) -> Bool {
    state.withLock { state in
      guard case .idle = state.phase else { return false }
      state.settings.validators += validators
      return true
    }
  }

  /// Returns the outcome of the request; runs the request if no task runs it.
  ///
  /// A request that has ended gives the same outcome again. Cancelling the caller's task cancels the request.
  public func outcome() async -> RequestOutcome { await withOutcome { $0 } }

  /// Calls `body` with the outcome, off the caller's actor.
  ///
  /// This function runs on the caller's actor, but the closure of `withTaskCancellationHandler` does not. The call of
  /// `body` must stay in that closure; otherwise a response is decoded on the caller's actor, such as the main actor.
  /// `SerializingPlaceTests` checks this.
  @inline(__always)  // See `Pipeline.run`.
  func withOutcome<Value>(_ body: @Sendable (RequestOutcome) throws -> Value) async rethrows -> Value {
    try await withTaskCancellationHandler {
      let outcome: RequestOutcome
      switch state.withLock({ $0.join() }) {
      case .take(let known): outcome = known
      case .lead:
        outcome = await run()
        conclude(outcome)
      case .follow:
        outcome = await withUnsafeContinuation { follower in
          if let outcome = state.withLock({ $0.follow(follower) }) { follower.resume(returning: outcome) }
        }
      }
      return try body(outcome)
    } onCancel: {
      cancel()
    }
  }

  /// Waits until the request has ended, or, for a stream, until its head is available.
  ///
  /// Cancelling the caller's task cancels the request.
  func answered() async {
    guard handsOverAtHead else {
      _ = await outcome()
      return
    }
    start()
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        if state.withLock({ $0.add(headWaiter: waiter) }) { waiter.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Adds a handler, which is called with the outcome after the handlers added before; starts the request.
  ///
  /// A request that is suspended starts when it is resumed. If the request has ended, the handler is called soon. It is
  /// called off the caller's thread, in a task that `finishRequests()` waits for.
  ///
  /// - Parameter handler: receives the execution. It must not retain the request, because a request that never starts
  ///   retains its handlers.
  public func addCompletionHandler(
    _ handler: @escaping @Sendable (RequestExecution, RequestOutcome) async -> Void
  ) {
    let before = state.withLock { state in
      let mustStart = state.add(handler)
      if case .finished(let outcome) = state.phase { return (mustStart, Optional(outcome)) }
      return (mustStart, nil)
    }
    guard before.0 else { return }
    guard let outcome = before.1 else { return launch() }
    session.registry.beginDelivery()
    startDelivery(outcome)
  }

  /// Starts the request, in a task of its own, if it has not started and is not suspended.
  ///
  /// The reader of a stream calls this method before it waits for the head.
  public func start() {
    if state.withLock({ $0.isHeld ? false : $0.takeLead() }) { launch() }
  }

  /// Begins an attempt, unless the request is suspended or cancelled; reads all values under one lock.
  func enterAttempt(_ number: Int) -> (mustWait: Bool, ended: LupineError?, hasNoOverrides: Bool) {
    state.withLock { state in
      if !state.mustWait, state.cancellation == nil { state.beginAttempt(number) }
      return (state.mustWait, state.cancellation, state.settings.areDefault)
    }
  }

  /// Begins an exchange; `false` if the request is suspended or another exchange is running.
  ///
  /// See `ExecutionState.begin`.
  ///
  /// - Throws: the reason of the cancellation, if the request was cancelled.
  func begin(
    _ control: ExchangeControl, _ request: OutgoingRequest, for original: OutgoingRequest?, head: HTTPResponse? = nil
  ) throws(LupineError) -> Bool {
    guard let beginning = state.withLock({ $0.begin(control, request, for: original, head: head) }) else {
      return false
    }
    if let ended = beginning.ended { throw ended }
    if beginning.wasIdleTimeoutStopped { timeLimits.restartIdle() }
    if beginning.isSuspended { settleSuspension() }
    return true
  }

  /// The reason of the cancellation; `nil` if the request was not cancelled.
  public var cancellation: LupineError? { state.withLock { $0.cancellation } }

  /// Cancels the request, unless it has ended; its handlers are called with the reason.
  ///
  /// - Parameter reason: the error of the request; the first call counts. Default: an error of kind `cancelled`.
  public func cancel(_ reason: LupineError = LupineError(.cancelled, "The request was cancelled.")) {
    guard let cancellation = state.withLock({ $0.cancel(reason) }) else { return }
    cancellation.control?.cancel(reason)
    for work in cancellation.works { work() }
    for gate in cancellation.gates { gate.resume() }
    guard cancellation.mustFinish else { return }
    let outcome = RequestOutcome(request: try? original.get(), error: reason)
    guard handler != nil || cancellation.hasListeners else { return conclude(outcome) }
    // Registered here, so that `finishRequests()` waits for the handlers.
    try? session.registry.insert(self)
    Task(executorPreference: session.configuration.executor) {
      let concluded = await self.handler?.conclude(outcome) ?? outcome
      await self.notifyListeners(of: concluded)
      self.conclude(concluded)
    }
  }

  /// Ends the request and calls its handlers.
  func conclude(_ outcome: RequestOutcome) {
    if finish(outcome) { startDelivery(outcome) }
  }

  /// The time limits of the request.
  var timeLimits: TimeLimits { TimeLimits(execution: self) }

  /// Whether there may be adapters, interceptors or retriers; a fast check, because many requests have none.
  var hasPolicies: Bool { session.hasPolicies || !state.withLock { $0.settings.areDefault } }

  /// Whether the body is handed over at its head, instead of being stored first.
  var handsOverAtHead: Bool { streamedHandler != nil }

  /// Runs the request in a task, which then calls the handlers.
  func launch() {
    // Registered here, so that `finishRequests()` waits for this request; `run` reports a refusal.
    try? session.registry.insert(self)
    Task(executorPreference: session.configuration.executor) {
      let outcome = await self.run()
      if self.finish(outcome) { await self.deliver(outcome) }
    }
  }

  /// Calls the handlers in a task; the registry has already counted the delivery.
  private func startDelivery(_ outcome: RequestOutcome) {
    Task(executorPreference: session.configuration.executor) { await self.deliver(outcome) }
  }

  private func deliver(_ outcome: RequestOutcome) async {
    while let handler = state.withLock({ $0.nextHandler() }) { await handler(self, outcome) }
    session.registry.endDelivery()
  }

  @inline(__always)  // See `Pipeline.run`.
  private func run() async -> RequestOutcome {
    let outcome = await Pipeline(self).run()
    // Avoids an asynchronous call in the common case.
    if handler == nil, outcome.error == nil, state.withLock({ $0.settings.areDefault }) { return outcome }
    return await ended(outcome)
  }

  /// Completes a request that has listeners, redirects, a handler or an error.
  private func ended(_ outcome: RequestOutcome) async -> RequestOutcome {
    var outcome = outcome
    if let handler {
      if outcome.error == nil, let response = outcome.response {
        outcome.error = await refusal(of: response, by: handler)
      }
      outcome = await handler.conclude(completed(outcome))
    }
    outcome = completed(outcome)
    let listeners = progress.finish(isGood: outcome.error == nil)
    if !listeners.isEmpty { await finish(listeners) }
    let interim = takeInterimListeners()
    if !interim.isEmpty { await finish(interim.map { $0.finish() }) }
    await notifyListeners(of: outcome)
    return outcome
  }

  /// Adds to a failed outcome the last exchange, and the response of an earlier attempt if the last one sent nothing.
  func completed(_ outcome: RequestOutcome) -> RequestOutcome {
    guard outcome.error != nil else { return outcome }
    let (last, earlier) = state.withLock { ($0.history.last, $0.history.formerOutcome) }
    var outcome = outcome
    if let earlier { outcome.follow(earlier, keepingResponse: handler == nil) }
    outcome.complete(with: last)
    outcome.error = outcome.error?.redacted(session.configuration.secretFields)
    return outcome
  }

  /// Ends the request with an error that the reader of its body has found, such as one of its format.
  ///
  /// - Returns: the error with the request, the head and the metrics, and without secrets.
  public func end(with error: LupineError) async -> LupineError {
    cancel(error)
    return completed(error, by: await outcome())
  }

  /// Adds the request, the head and the metrics of an outcome to an error, and removes secrets from it.
  public func completed(_ error: LupineError, by outcome: RequestOutcome) -> LupineError {
    outcome.completed(error).redacted(session.configuration.secretFields)
  }

  /// The error of the handler's check, which is made once in each attempt; a cancellation or the total timeout ends it.
  func refusal(of response: ReceivedResponse, by handler: any ResponseHandler) async -> LupineError? {
    guard state.withLock({ $0.takeCheck() }) else { return nil }
    do throws(LupineError) {
      try await interruptible { () async throws(LupineError) in try await handler.check(response) }
      return nil
    } catch {
      return error
    }
  }

  /// Ends the request; `true` if the caller must call the handlers, whose delivery the registry then counts.
  private func finish(_ outcome: RequestOutcome) -> Bool {
    emit(.finished(outcome.error))
    let end = state.withLock { $0.finish(outcome) }
    session.registry.remove(self, isDelivered: end.mustDeliver)
    for follower in end.followers { follower.resume(returning: outcome) }
    for gate in end.gates { gate.resume() }
    for listener in end.listeners { start(listener, outcome) }
    return end.mustDeliver
  }
}
