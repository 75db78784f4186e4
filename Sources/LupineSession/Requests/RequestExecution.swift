import HTTPTypes
package import LupineCore
package import Synchronization

/// One request on its way: who leads it, who follows, what ends it.
///
/// The first who awaits the outcome runs the pipeline in its own task; where handlers come first, one task runs it and
/// then calls them in order.
package final class RequestExecution: Sendable {
  package let id: RequestID
  package let session: Session
  package let description: Result<OutgoingRequest, LupineError>
  package let state: Mutex<RequestState>
  /// What is done with the response; `nil` gathers its body in memory.
  package let consumer: (any ResponseHandler)?
  /// How many attempts the request has made before that this is a connection of; `nil` where it is a request of its own.
  let earlierAttempts: Int?
  /// Where the registry keeps it; changed under the registry's lock.
  let place = Atomic<Int>(-1)
  let upload = Mutex(ProgressReporter())
  let download = Mutex(ProgressReporter())

  package init(
    _ description: consuming Result<OutgoingRequest, LupineError>, session: Session,
    consumer: (any ResponseHandler)? = nil, connectionOf whole: RequestID? = nil,
    after earlierAttempts: Int = 0
  ) {
    id = whole ?? session.nextID()
    self.session = session
    self.description = description
    self.consumer = consumer
    self.earlierAttempts = whole == nil ? nil : earlierAttempts
    state = Mutex(RequestState(isHeld: !session.configuration.startsImmediately && whole == nil))
  }

  /// Whether it is a connection of another request, which stands for it.
  var isPart: Bool { earlierAttempts != nil }

  /// The outcome, once there is one; runs the request if nobody does yet.
  ///
  /// Cancelling the caller's task cancels it.
  package func outcome() async -> Outcome { await withOutcome { $0 } }

  /// Makes something of the outcome, as `outcome()` gives it, before the caller's actor is entered again.
  ///
  /// The actor is left by the closure, not by this function, which runs where its caller does: the standard library takes
  /// what it calls for code of no actor's, and everything up to the call of `body` must stay in there. Moved out of it, a
  /// body would be decoded on the main actor; `SerializingPlaceTests` tells.
  @inline(__always)  // As `Pipeline.run` says.
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

  /// Waits for the end, or, since that of a stream waits for its reader, until a stream has begun.
  func answered() async {
    guard let consumer, consumer.takesBodyAtHead else {
      _ = await outcome()
      return
    }
    startForStream()
    await consumer.waitForHead()
  }

  /// Adds what is called with the outcome, after those added before.
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

  /// Starts the request where nobody has, unless it is held back.
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

  /// Tells the exchange whether it is held back, until what it was told last is what holds.
  private func settleSuspension() {
    var told: Bool?
    while true {
      let (control, isSuspended) = state.withLock { $0.suspension }
      if told == isSuspended { return }
      control?.setSuspended(isSuspended)
      told = isSuspended
    }
  }

  /// Whether the request is held back, and `passGate` is to be awaited.
  var mustWait: Bool { state.withLock { $0.mustWait } }

  /// Begins an attempt, unless it must wait or has no use, and tells what it must know: one look for all of it.
  func enterAttempt() -> (mustWait: Bool, ended: LupineError?, hasNoOverrides: Bool) {
    state.withLock { state in
      if !state.mustWait, state.cancellation == nil { state.beginAttempt(at: nil) }
      return (state.mustWait, state.cancellation, state.settings.areDefault)
    }
  }

  /// Waits while the request is held back; a cancelled one passes.
  package func passGate() async {
    await withUnsafeContinuation { gate in
      if state.withLock({ $0.pass(gate) }) { gate.resume() }
    }
  }

  /// Begins an exchange, as `RequestState.begin` says; false where the request must wait, or another is still under way.
  ///
  /// - Throws: the reason of the cancellation, where the request has been cancelled.
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
    conclude(consumer?.conclude(outcome) ?? outcome)
  }

  /// Ends the request, and has its handlers called.
  package func conclude(_ outcome: Outcome) {
    if finish(outcome) { startDelivery(outcome) }
  }

  /// Whether the body is handed on at its head, and not gathered or written first.
  var handsOverAtHead: Bool { consumer?.takesBodyAtHead ?? false }

  /// Whether anybody hears of events, so that making one is worth its cost.
  package var isObserved: Bool { session.isObserved }

  /// Tells the session's monitors what happened; without any the event is not even made.
  ///
  /// Inlined as far as its test: nothing that an event would be made of is touched where nobody hears of it.
  @inline(__always)
  package func emit(_ kind: @autoclosure () -> SessionEvent.Kind, attempt: Int = 0) {
    if session.isObserved { tell(kind, attempt) }
  }

  @inline(never)
  private func tell(_ kind: () -> SessionEvent.Kind, _ attempt: Int) {
    var kind = kind()
    if isPart, kind.isOfWholeRequest { return }
    kind.redact(session.configuration.secretFields)
    let event = SessionEvent(request: id, attempt: attempt, time: session.clock.now(), kind: kind)
    for monitor in session.configuration.monitors { monitor.receive(event) }
  }

  private func start() {
    // Known from here on, so that whoever waits for the session's requests waits for this one; `run` reports a refusal.
    try? session.registry.insert(self)
    Task(executorPreference: session.configuration.executor) {
      let outcome = await self.run()
      if self.finish(outcome) { await self.deliver(outcome) }
    }
  }

  /// Calls the handlers in a task that the registry has counted already.
  private func startDelivery(_ outcome: Outcome) {
    Task(executorPreference: session.configuration.executor) { await self.deliver(outcome) }
  }

  private func deliver(_ outcome: Outcome) async {
    while let handler = state.withLock({ $0.nextHandler() }) { await handler(self, outcome) }
    session.registry.endDelivery()
  }

  @inline(__always)  // As `Pipeline.run` says.
  private func run() async -> Outcome {
    let outcome = await Pipeline(self).run()
    // Most requests end here: nobody listens, no redirect was followed, and the response goes nowhere else.
    if consumer == nil, outcome.error == nil, state.withLock({ $0.isPlain }) { return outcome }
    return await ended(outcome)
  }

  /// What a request ends with that more follows from than its outcome.
  private func ended(_ outcome: Outcome) async -> Outcome {
    var outcome = outcome
    if let consumer {
      if outcome.response != nil, let check = consumer.check(outcome) { outcome.error = await failure(of: check) }
      outcome = consumer.conclude(completed(outcome))
    }
    outcome = completed(outcome)
    let redirects = state.withLock { $0.redirects }
    if !redirects.isEmpty { outcome.redirects = redirects }
    let progress = finishProgress(isGood: outcome.error == nil)
    if !progress.isEmpty { await finish(progress) }
    // Those of a connection are its request's, which may open another.
    let interim = isPart ? [] : takeInterimListeners()
    if !interim.isEmpty { await finish(interim.map { $0.finish() }) }
    return outcome
  }

  /// Adds to a failed outcome what the request knows: its last exchange, and the answer that it had before an attempt that
  /// sent nothing.
  package func completed(_ outcome: Outcome) -> Outcome {
    guard outcome.error != nil else { return outcome }
    let (last, earlier) = state.withLock { ($0.last, $0.earlier) }
    var outcome = outcome
    if let earlier { outcome.follow(earlier, keepingResponse: consumer == nil) }
    outcome.complete(with: last)
    outcome.error = outcome.error?.hiding(session.configuration.secretFields)
    return outcome
  }

  /// Ends the request with an error that the reader of its body has found; returns it with what the request knows.
  package func end(with error: LupineError) async -> LupineError {
    cancel(error)
    return completed(error, by: await outcome())
  }

  /// Adds to an error of the body's reader what the request knows.
  package func completed(_ error: LupineError, by outcome: Outcome) -> LupineError {
    outcome.completed(error).hiding(session.configuration.secretFields)
  }

  /// Why a check, or other work of the consumer, does not end well; a cancellation or the total timeout ends it early.
  func failure(of check: @escaping @Sendable () async -> LupineError?) async -> LupineError? {
    guard let error = try? await interruptible(check) else { return nil }
    return state.withLock { $0.cancellation } ?? error
  }

  /// Ends the request; true where the caller must call the handlers, which the registry waits for from here on.
  private func finish(_ outcome: Outcome) -> Bool {
    emit(.finished(outcome.error))
    let (followers, mustDeliver) = state.withLock { $0.finish(outcome) }
    session.registry.remove(self, isDelivered: mustDeliver)
    for follower in followers { follower.resume(returning: outcome) }
    return mustDeliver
  }
}
