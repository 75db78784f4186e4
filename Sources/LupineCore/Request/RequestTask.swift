import Synchronization

/// One request on its way: who leads it, who follows, what ends it.
///
/// The first who awaits the outcome runs the pipeline in its own task; where handlers come first, one task runs it and
/// then calls them in order.
final class RequestTask: Sendable {
  let id: RequestID
  let session: Session
  let description: Result<OutgoingRequest, LupineError>
  let state: Mutex<RequestState>
  let consumer: any ResponseConsumer
  let upload = ProgressReporter()
  let download = ProgressReporter()

  init(
    _ description: Result<OutgoingRequest, LupineError>, session: Session,
    consumer: any ResponseConsumer = CollectingConsumer()
  ) {
    id = session.nextID()
    self.session = session
    self.description = description
    self.consumer = consumer
    state = Mutex(RequestState(isHeld: !session.configuration.startsImmediately))
  }

  /// The outcome, once there is one; runs the request if nobody does yet.
  ///
  /// Cancelling the caller's task cancels it.
  func outcome() async -> Outcome {
    await withTaskCancellationHandler {
      switch state.withLock({ $0.join() }) {
      case .take(let outcome): return outcome
      case .lead: return await run()
      case .follow:
        return await withUnsafeContinuation { follower in
          if let outcome = state.withLock({ $0.follow(follower) }) { follower.resume(returning: outcome) }
        }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Adds what is called with the outcome, after those added before.
  func add(_ handler: @escaping RequestState.Handler) {
    let before = state.withLock { state in
      let mustStart = state.add(handler)
      if case .finished(let outcome) = state.phase { return (mustStart, Optional(outcome)) }
      return (mustStart, nil)
    }
    guard before.0 else { return }
    if let outcome = before.1 { startDelivery(outcome) } else { start() }
  }

  func resume() {
    let next = state.withLock { $0.resume() }
    emit(.resumed)
    next.control?.setSuspended(false)
    for gate in next.gates { gate.resume() }
    if next.mustStart { start() }
  }

  func suspend() {
    let control = state.withLock { $0.suspend() }
    emit(.suspended)
    control?.setSuspended(true)
  }

  func cancel(_ reason: LupineError = LupineError(.cancelled, "The request was cancelled.")) {
    guard let cancellation = state.withLock({ $0.cancel(reason) }) else { return }
    cancellation.control?.cancel(reason)
    cancellation.work?()
    for gate in cancellation.gates { gate.resume() }
    if cancellation.mustFinish { finish(Outcome(request: try? description.get(), error: reason)) }
  }

  func emit(_ kind: SessionEvent.Kind, attempt: Int = 0) {
    let monitors = session.configuration.monitors
    guard !monitors.isEmpty else { return }
    let event = SessionEvent(request: id, attempt: attempt, time: session.clock.now(), kind: kind)
    for monitor in monitors { monitor.receive(event) }
  }

  private func start() {
    // Known from here on, so that whoever waits for the session's requests waits for this one; `run` reports a refusal.
    try? session.registry.insert(self)
    Task(executorPreference: session.configuration.executor) { _ = await self.run() }
  }

  private func startDelivery(_ outcome: Outcome) {
    Task(executorPreference: session.configuration.executor) { await self.deliver(outcome) }
  }

  private func deliver(_ outcome: Outcome) async {
    while let handler = state.withLock({ $0.nextHandler() }) { await handler(outcome) }
    session.registry.remove(self)
  }

  private func run() async -> Outcome {
    let outcome = consumer.conclude(await Pipeline(self).run())
    await upload.finish()
    await download.finish()
    finish(outcome)
    return outcome
  }

  private func finish(_ outcome: Outcome) {
    emit(.finished(outcome.error))
    let (followers, mustDeliver) = state.withLock { $0.finish(outcome) }
    for follower in followers { follower.resume(returning: outcome) }
    if mustDeliver { startDelivery(outcome) } else { session.registry.remove(self) }
  }
}
