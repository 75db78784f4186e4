import HTTPTypes
package import LupineCore
package import Synchronization

/// The execution of one request.
///
/// The first task that awaits the outcome runs the pipeline. If a handler is added first, a new task runs the pipeline
/// and then calls the handlers in order.
package final class RequestExecution: Sendable {
  package let id: RequestID
  package let session: Session
  package let description: Result<OutgoingRequest, LupineError>
  package let state: Mutex<RequestState>
  /// The handler of the response; `nil` stores its body in memory.
  package let handler: (any ResponseHandler)?
  /// The index in the registry; changed under the registry's lock.
  let place = Atomic<Int>(-1)
  let upload = Mutex(ProgressReporter())
  let download = Mutex(ProgressReporter())

  package init(
    _ description: consuming Result<OutgoingRequest, LupineError>, session: Session,
    handler: (any ResponseHandler)? = nil
  ) {
    id = session.nextID()
    self.session = session
    self.description = description
    self.handler = handler
    state = Mutex(RequestState(isHeld: !session.configuration.startsImmediately))
  }

  /// Changes the settings of a request that has not started; `false`, without a call, if it has.
  ///
  /// - Parameter change: called under the lock of the request; returns the result.
  package func configure(_ change: (inout RequestSettings) -> Bool) -> Bool {
    state.withLock { state in
      guard case .idle = state.phase else { return false }
      return change(&state.settings)
    }
  }

  /// Adds a request that has not started to the running ones, so that the session can end it.
  ///
  /// - Throws: the reason why the session accepts no more requests.
  package func register() throws(LupineError) {
    try session.registry.insert(self)
    // A request that ended before the insertion must be removed here.
    if state.withLock({ $0.hasFinished }) { session.registry.remove(self, isDelivered: false) }
  }

  /// The outcome of the request; runs the request if no task runs it.
  ///
  /// Cancelling the caller's task cancels the request.
  package func outcome() async -> Outcome { await withOutcome { $0 } }

  /// Calls `body` with the outcome, off the caller's actor.
  ///
  /// This function runs on the caller's actor, but the closure of `withTaskCancellationHandler` does not. The call of
  /// `body` must stay in that closure; otherwise a response is decoded on the caller's actor, such as the main actor.
  /// `SerializingPlaceTests` checks this.
  @inline(__always)  // See `Pipeline.run`.
  func withOutcome<Value>(_ body: @Sendable (Outcome) throws -> Value) async rethrows -> Value {
    try await withTaskCancellationHandler {
      let outcome: Outcome
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
  func answered() async {
    guard handsOverAtHead else {
      _ = await outcome()
      return
    }
    startForStream()
    await withUnsafeContinuation { waiter in
      if state.withLock({ $0.add(headWaiter: waiter) }) { waiter.resume() }
    }
  }

  /// Adds a handler, which is called with the outcome after the handlers added before.
  package func add(_ handler: @escaping RequestState.Handler) {
    let before = state.withLock { state in
      let mustStart = state.add(handler)
      if case .finished(let outcome) = state.phase { return (mustStart, Optional(outcome)) }
      return (mustStart, nil)
    }
    guard before.0 else { return }
    guard let outcome = before.1 else { return start() }
    session.registry.beginDelivery()
    startDelivery(outcome)
  }

  /// Starts the request if it has not started and is not suspended.
  package func startForStream() {
    if state.withLock({ $0.isHeld ? false : $0.takeLead() }) { start() }
  }

  func resume() {
    guard let next = state.withLock({ $0.resume() }) else { return }
    emit(.resumed)
    settleSuspension()
    for gate in next.gates { gate.resume() }
    if next.mustStart { start() }
  }

  func suspend() {
    guard state.withLock({ $0.suspend() }) else { return }
    emit(.suspended)
    settleSuspension()
  }

  /// Sets the suspension of the exchange; repeats until it matches the request's.
  private func settleSuspension() {
    var told: Bool?
    while true {
      let (control, isSuspended) = state.withLock { $0.suspension }
      if told == isSuspended { return }
      control?.setSuspended(isSuspended)
      told = isSuspended
    }
  }

  /// Whether the request is suspended and must await `passGate`.
  var mustWait: Bool { state.withLock { $0.mustWait } }

  /// Begins an attempt, unless the request is suspended or cancelled; reads all values under one lock.
  func enterAttempt(_ number: Int) -> (mustWait: Bool, ended: LupineError?, hasNoOverrides: Bool) {
    state.withLock { state in
      if !state.mustWait, state.cancellation == nil { state.beginAttempt(number) }
      return (state.mustWait, state.cancellation, state.settings.areDefault)
    }
  }

  /// Waits while the request is suspended; a cancelled request continues at once.
  package func passGate() async {
    await withUnsafeContinuation { gate in
      if state.withLock({ $0.pass(gate) }) { gate.resume() }
    }
  }

  /// Begins an exchange; `false` if the request is suspended or another exchange is running.
  ///
  /// See `RequestState.begin`.
  ///
  /// - Throws: the reason of the cancellation, if the request was cancelled.
  func begin(
    _ control: ExchangeControl, _ request: OutgoingRequest, for original: OutgoingRequest?, head: HTTPResponse? = nil
  ) throws(LupineError) -> Bool {
    guard let beginning = state.withLock({ $0.begin(control, request, for: original, head: head) }) else {
      return false
    }
    if let ended = beginning.ended { throw ended }
    if beginning.wasUnwatched { watchAgain() }
    if beginning.isSuspended { settleSuspension() }
    return true
  }

  package func cancel(_ reason: LupineError = LupineError(.cancelled, "The request was cancelled.")) {
    guard let cancellation = state.withLock({ $0.cancel(reason) }) else { return }
    cancellation.control?.cancel(reason)
    for work in cancellation.works { work() }
    for gate in cancellation.gates { gate.resume() }
    guard cancellation.mustFinish else { return }
    let outcome = Outcome(request: try? description.get(), error: reason)
    guard let handler else { return conclude(outcome) }
    Task(executorPreference: session.configuration.executor) { self.conclude(await handler.conclude(outcome)) }
  }

  /// Ends the request and calls its handlers.
  func conclude(_ outcome: Outcome) {
    if finish(outcome) { startDelivery(outcome) }
  }

  /// Whether the body is handed over at its head, instead of being stored first.
  var handsOverAtHead: Bool { handler?.takesBodyAtHead ?? false }

  /// Whether there is a monitor; without one, no events are created.
  package var isObserved: Bool { session.isObserved }

  /// Sends an event to the session's monitors.
  ///
  /// The test is inlined, so that no event is created without a monitor.
  @inline(__always)
  package func emit(_ kind: @autoclosure () -> SessionEvent.Kind, attempt: Int = 0) {
    if session.isObserved { tell(kind, attempt) }
  }

  @inline(never)
  private func tell(_ kind: () -> SessionEvent.Kind, _ attempt: Int) {
    var kind = kind()
    kind.redact(session.configuration.secretFields)
    let event = SessionEvent(request: id, attempt: attempt, time: session.clock.now(), kind: kind)
    for monitor in session.configuration.monitors { monitor.receive(event) }
  }

  private func start() {
    // Registered here, so that `finishRequests()` waits for this request; `run` reports a refusal.
    try? session.registry.insert(self)
    Task(executorPreference: session.configuration.executor) {
      let outcome = await self.run()
      if self.finish(outcome) { await self.deliver(outcome) }
    }
  }

  /// Calls the handlers in a task; the registry has already counted the delivery.
  private func startDelivery(_ outcome: Outcome) {
    Task(executorPreference: session.configuration.executor) { await self.deliver(outcome) }
  }

  private func deliver(_ outcome: Outcome) async {
    while let handler = state.withLock({ $0.nextHandler() }) { await handler(self, outcome) }
    session.registry.endDelivery()
  }

  @inline(__always)  // See `Pipeline.run`.
  private func run() async -> Outcome {
    let outcome = await Pipeline(self).run()
    // Fast path for a successful request without listeners, redirects or a handler.
    if handler == nil, outcome.error == nil, state.withLock({ $0.isPlain }) { return outcome }
    return await ended(outcome)
  }

  /// Completes a request that has listeners, redirects, a handler or an error.
  private func ended(_ outcome: Outcome) async -> Outcome {
    var outcome = outcome
    if let handler {
      if outcome.error == nil, let response = outcome.response { outcome.error = await failure(of: response, handler) }
      outcome = await handler.conclude(completed(outcome))
    }
    outcome = completed(outcome)
    let progress = finishProgress(isGood: outcome.error == nil)
    if !progress.isEmpty { await finish(progress) }
    let interim = takeInterimListeners()
    if !interim.isEmpty { await finish(interim.map { $0.finish() }) }
    return outcome
  }

  /// Adds to a failed outcome the last exchange, and the response of an earlier attempt if the last one sent nothing.
  package func completed(_ outcome: Outcome) -> Outcome {
    guard outcome.error != nil else { return outcome }
    let (last, earlier) = state.withLock { ($0.last, $0.earlier) }
    var outcome = outcome
    if let earlier { outcome.follow(earlier, keepingResponse: handler == nil) }
    outcome.complete(with: last)
    outcome.error = outcome.error?.redacted(session.configuration.secretFields)
    return outcome
  }

  /// Ends the request with an error of the body's reader; returns the error with the request's values.
  package func end(with error: LupineError) async -> LupineError {
    cancel(error)
    return completed(error, by: await outcome())
  }

  /// Adds the request's values to an error of the body's reader.
  package func completed(_ error: LupineError, by outcome: Outcome) -> LupineError {
    outcome.completed(error).redacted(session.configuration.secretFields)
  }

  /// The error of the handler's check; a cancellation or the total timeout ends the check.
  private func failure(of response: ReceivedResponse, _ handler: any ResponseHandler) async -> LupineError? {
    do throws(LupineError) {
      try await interruptible { () async throws(LupineError) in try await handler.check(response) }
      return nil
    } catch {
      return error
    }
  }

  /// Ends the request; `true` if the caller must call the handlers, whose delivery the registry then counts.
  private func finish(_ outcome: Outcome) -> Bool {
    emit(.finished(outcome.error))
    let (followers, gates, mustDeliver) = state.withLock { $0.finish(outcome) }
    session.registry.remove(self, isDelivered: mustDeliver)
    for follower in followers { follower.resume(returning: outcome) }
    for gate in gates { gate.resume() }
    return mustDeliver
  }
}
