import HTTPTypes
import LupineCore
import LupineSupport
import Synchronization

/// Runs one request: makes attempts until one succeeds or no retrier requests another.
///
/// The steps in order, each with the function that performs it:
///
/// 1. Begin: the request's own options, its idempotency key, and the handler's preparation: `run()`.
/// 2. Adapt: the adapters of the session, then those of the request: `Attempt.run(_:)`, `Attempt.adapted(_:by:)`.
/// 3. Prepare: the handler's request for this attempt, and the default fields: `Attempt.prepared(_:)`.
/// 4. Intercept: the interceptors, each around the exchanges: `Attempt.exchange(_:through:)`.
/// 5. Exchange: cookies, credentials, the transport: `Attempt.send(_:)`, `Attempt.sendOnce(_:for:_:_:)`.
/// 6. Follow: a redirect, a challenge or another request of the handler leads back to 5:
///    `Attempt.nextStep(after:to:for:)`.
/// 7. Receive: the rest of the body, decoded: `Attempt.receive(_:to:)`.
/// 8. Validate: the validators of the request: `Attempt.refusal(of:by:)`.
/// 9. Serialize: with retriers, the serializers whose failure they decide about: `Retries.serialize(_:)`.
/// 10. Retry: the retriers lead back to 2: `Retries.step(after:of:)`; a stream of events also: `followUp(after:)`.
///
/// Without retriers, and for a consumer that is added later, `Serialization` serializes after the pipeline, for each
/// awaited value and each handler.
struct Pipeline: Sendable {
  let execution: RequestExecution
  var session: Session { execution.session }

  init(_ execution: RequestExecution) { self.execution = execution }

  /// Runs the request to its end.
  ///
  /// Inlined together with its steps, which saves their asynchronous frames: `Benchmarks/README.md` has the figures.
  @inline(__always)
  func run() async -> RequestOutcome {
    var request: OutgoingRequest
    do throws(LupineError) {
      request = try execution.original.get()
      try session.registry.insert(execution)
    } catch {
      return RequestOutcome(request: try? execution.original.get(), error: error)
    }
    let hasNoOverrides = execution.timeLimits.begin()
    if !hasNoOverrides { request = execution.withOwnOptions(request) }
    if session.keysRequests || !hasNoOverrides { request = keyed(request) }
    execution.emit(.started(request.summary))
    if let handler = execution.handler {
      let described = request
      do throws(LupineError) {
        request = try await execution.interruptible { () async throws(LupineError) in try await handler.begin(described)
        }
      } catch {
        return RequestOutcome(request: request, error: error.about(request.summary))
      }
    }
    let mayRetrySerializers = session.retriesSerializers || !hasNoOverrides
    var attempt = Attempt(execution)
    while true {
      var result = await attempt.run(request)
      if mayRetrySerializers, attempt.retries.mustSerialize(result),
        let ended = await attempt.retries.serialize(&result)
      {
        result = attempt.failed(ended, result.request)
      }
      let isSettled = attempt.retries.isSettled(result)
      if isSettled, !execution.handsOverAtHead { return result.outcome }
      switch await step(after: result, isSettled, of: request, &attempt) {
      case .end(let outcome): return outcome
      case .next(let following, let next, let delay):
        await wait(delay)
        (attempt, request) = (following, next)
      }
    }
  }

  /// The step after an attempt.
  private enum Step {
    case end(RequestOutcome)
    case next(Attempt, OutgoingRequest, after: Duration)
  }

  /// Calls the retriers, then the handler of the response.
  private func step(
    after result: AttemptResult, _ isSettled: Bool, of request: OutgoingRequest, _ attempt: inout Attempt
  ) async -> Step {
    var outcome = result.outcome
    var reason: String?
    if !isSettled {
      switch await attempt.retries.step(after: result, of: request) {
      case .again(let delay):
        if attempt.retries.serializationFailure != nil { await execution.handler?.discardResponse() }
        return .next(attempt.next(), request, after: delay)
      case .end(let ended, let why): (outcome, reason) = (ended, why)
      }
    }
    switch await followUp(after: outcome) {
    case .end(let error, let why):
      if let reason = why ?? reason { attempt.emit(.retrying(after: nil, reason: reason)) }
      if let error { outcome.error = error.about(request.summary) }
      return .end(outcome)
    case .interrupted:
      if let reason = execution.cancellation { outcome.error = reason.wrapping(outcome.error) }
      return .end(outcome)
    case .next(let next, let delay, let reason):
      attempt.emit(.retrying(after: delay, reason: reason))
      execution.state.withLock { $0.expectNextResponse() }
      return .next(attempt.nextResponse(), next, after: delay)
    }
  }

  /// Returns what the handler decides about a further response; only a stream can have one.
  private func followUp(after outcome: RequestOutcome) async -> FollowUp {
    guard let handler = execution.streamedHandler, execution.cancellation == nil else {
      return .end()
    }
    return (try? await execution.interruptible { await handler.followUp(after: outcome) }) ?? .end()
  }

  /// Waits before an attempt; a cancellation ends the wait, and the next attempt detects it.
  func wait(_ delay: Duration) async {
    guard delay > .zero else { return }
    let clock = session.clock
    let next = clock.now() + delay.bounded
    if let end = execution.timeLimits.endTime, end <= next {
      // The next attempt would start too late, so the request ends at its deadline.
      try? await execution.interruptible { try await clock.sleep(until: end) }
      _ = execution.timeLimits.check(now: clock.now())
      return
    }
    try? await execution.interruptible { try await clock.sleep(until: next) }
  }
}

extension Pipeline {
  /// The request with its idempotency key, which is the same for all attempts.
  func keyed(_ request: OutgoingRequest) -> OutgoingRequest {
    let key = execution.state.withLock { $0.settings.idempotencyKey }
    guard key != nil || session.configuration.keyedMethods.contains(request.method),
      !request.headers.contains(.idempotencyKey)
    else { return request }
    var request = request
    if case .given(let text) = key {
      request.headers[.idempotencyKey] = text
    } else {
      request.headers[.idempotencyKey] = IdempotencyKey.make(session.configuration.random)
    }
    return request
  }
}
