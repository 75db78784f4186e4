import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// The decision about a retry.
enum RetryStep: Sendable {
  /// - reason: why there is no retry, for monitors; `nil` if another event reports it.
  case end(RequestOutcome, reason: String?)
  case again(after: Duration)
}

/// The retries of one response: asks the retriers after each attempt, and counts what they grant.
///
/// The pipeline's task owns the value, and asks it what follows an attempt.
struct Retries: Sendable {
  private let execution: RequestExecution
  /// The number of the attempt.
  private(set) var attempt: Int
  /// The number of retries that each retrier granted, by the retrier's index.
  private var granted: [Int: Int] = [:]
  /// The number of attempts for the responses before this one, each of which was handed over.
  private let earlierAttempts: Int
  /// The decision made at the head of a response, before its body is handed over.
  private var stepAtHead: RetryStep?
  /// The error of the first serializer that failed; the outcome of the attempt has no error then.
  private(set) var serializationFailure: LupineError?

  /// - Parameter earlierAttempts: see the property.
  init(_ execution: RequestExecution, earlierAttempts: Int = 0) {
    self.execution = execution
    self.earlierAttempts = earlierAttempts
    attempt = earlierAttempts + 1
  }

  /// The retries after one more attempt for the same response.
  func next() -> Retries {
    var next = self
    next.attempt += 1
    next.stepAtHead = nil
    next.serializationFailure = nil
    return next
  }

  private var session: Session { execution.session }

  private func emit(_ kind: @autoclosure () -> SessionEvent.Kind) { execution.emit(kind(), attempt: attempt) }

  /// The session's retriers, then the request's.
  private var retriers: [any Retrier] {
    let own = execution.state.withLock { $0.settings.retriers }
    return own.isEmpty ? session.configuration.retriers : session.configuration.retriers + own
  }

  /// Whether an attempt succeeded, so that no retrier decides; reports the success to all retriers.
  func isSettled(_ result: AttemptResult) -> Bool {
    guard stepAtHead == nil, !mayBeRetried(result) else { return false }
    session.retryBudget.answered(result.request.url)
    if execution.hasPolicies { for retrier in retriers { retrier.didSucceed(result.request) } }
    return true
  }

  /// Whether the retriers decide about the attempt.
  private func mayBeRetried(_ result: AttemptResult) -> Bool {
    // Compares in place: `failure(of:)` would copy the error.
    result.outcome.error != nil || serializationFailure != nil || result.outcome.statusCode ?? 0 >= 400
  }

  /// The error that the retriers receive.
  private func failure(of result: AttemptResult) -> LupineError? { result.outcome.error ?? serializationFailure }
}

/// Asks the retriers.
extension Retries {
  /// Calls the retriers, the session's first; the first decision other than `doNotRetry` applies.
  ///
  /// They receive the request that the attempt began with: a POST that was redirected to a GET is retried as a POST.
  mutating func step(after result: AttemptResult, of original: OutgoingRequest) async -> RetryStep {
    let outcome = result.outcome
    let request = result.request
    if let step = stepAtHead { return step }
    let retriers = retriers
    guard !result.isFinal, !retriers.isEmpty else {
      return .end(outcome, reason: result.isFinal ? finality : "there is no retrier")
    }
    let notes = RetryNotes()
    let failed = attemptOutcome(result, notes)
    for (place, retrier) in retriers.enumerated()
    where serializationFailure == nil || retrier.decidesAboutSerializers {
      var failed = failed
      failed.retries = granted[place] ?? 0
      let decision =
        (try? await execution.interruptible { [failed] in await retrier.decision(for: failed) }) ?? .doNotRetry
      // The request may be cancelled or time out while a retrier decides.
      if let reason = execution.cancellation { return .end(ended(result, by: reason), reason: nil) }
      switch decision {
      case .doNotRetry: continue
      case .retry, .retryAfter:
        guard request.body.isRetryable, original.body.isRetryable else { return unrepeatable(outcome) }
        granted[place, default: 0] += 1
        return again(after: decision, result, notes)
      case .fail(let error):
        let reason = "a retrier ended the request: \(error.message)"
        return .end(ended(result, by: error), reason: reason)
      }
    }
    credit(failed)
    return .end(outcome, reason: notes.joined(to: "no retrier requested it"))
  }

  /// Calls the retriers for a status before the body is handed over; returns the reason not to hand it over, if any.
  mutating func refusal(atHeadOf outcome: RequestOutcome, after first: OutgoingRequest) async -> LupineError? {
    guard let status = outcome.statusCode, status >= 400, !retriers.isEmpty,
      let original = try? execution.original.get()
    else { return nil }
    switch await step(after: AttemptResult(request: first, outcome: outcome), of: original) {
    case .again(let delay):
      stepAtHead = .again(after: delay)
      return LupineError(.unacceptableStatusCode(status), "The status \(status) is retried.")
    case .end(let ended, let reason):
      if let reason { emit(.retrying(after: nil, reason: reason)) }
      guard ended.error != nil else { return nil }
      stepAtHead = .end(ended, reason: nil)
      return ended.error
    }
  }

  /// Adds credit to the session's retry budget after a response that is not retried by default, even if it was refused.
  private func credit(_ failed: AttemptOutcome) {
    guard let status = failed.response?.status.code, !RetryPolicy.defaultStatusCodes.contains(status),
      failed.failedInSerializer || failed.error.map({ !RetryPolicy.defaultErrors.contains($0.kind) }) ?? true
    else { return }
    session.retryBudget.answered(failed.request.url)
  }

  /// The reason why an attempt is the last, independent of the retriers.
  private var finality: String {
    let (isEnded, isHandedOver) = execution.state.withLock { ($0.cancellation != nil, $0.isHandedOver) }
    if isEnded { return "the request was ended" }
    return isHandedOver ? "its response was already handed over" : "its response did not pass the check of its handler"
  }

  /// The outcome with another error, which keeps the failure that the retriers received.
  private func ended(_ result: AttemptResult, by error: LupineError) -> RequestOutcome {
    var ended = result.outcome
    ended.error = ended.completed(error.about(result.request.summary).wrapping(failure(of: result)))
    return ended
  }

  private func attemptOutcome(_ result: AttemptResult, _ notes: RetryNotes) -> AttemptOutcome {
    let (request, outcome) = (result.request, result.outcome)
    let random = session.configuration.random
    let (started, sent, source) = execution.state.withLock { ($0.timing.started, $0.sent, $0.source) }
    let head = outcome.head ?? outcome.error?.response
    return AttemptOutcome(
      request: request, lastRequest: head == nil ? nil : outcome.response?.request ?? sent,
      redirects: outcome.redirects, number: attempt - earlierAttempts, response: head,
      source: head == nil ? .origin : outcome.response?.source ?? source, error: failure(of: result),
      failedInSerializer: serializationFailure != nil, elapsed: started.map { session.clock.now() - $0 } ?? .zero,
      clock: session.clock.clock, date: session.configuration.now(), random: { random().fraction },
      note: { notes.add($0) }, sessionBudget: session.retryBudget)
  }

  /// Expects a retry, keeps the outcome of this attempt, and drops the values that were made of its response.
  private func again(after decision: RetryDecision, _ result: AttemptResult, _ notes: RetryNotes) -> RetryStep {
    var outcome = result.outcome
    if let failure = serializationFailure { outcome.error = failure }
    let serializers = execution.state.withLock { state in
      state.expectRetry(after: outcome)
      return state.retriableSerializers
    }
    for serializer in serializers { serializer.discardResult() }
    var delay = Duration.zero
    if case .retryAfter(let asked) = decision { delay = max(.zero, asked) }
    let reason = outcome.error?.message ?? "status \(outcome.response?.statusCode ?? 0)"
    emit(.retrying(after: delay, reason: notes.joined(to: reason)))
    return .again(after: delay)
  }

  private func unrepeatable(_ outcome: RequestOutcome) -> RetryStep {
    let explanation = "It was not retried: the request's body can be sent only once."
    var outcome = outcome
    outcome.error = outcome.error?.appending(explanation)
    if serializationFailure != nil {
      for serializer in execution.state.withLock({ $0.retriableSerializers }) { serializer.explainFailure(explanation) }
    }
    return .end(outcome, reason: "the body can be sent only once")
  }
}

/// Serializes a response before the request ends, so that the retriers can decide about a failure.
extension Retries {
  /// Whether to serialize: the attempt has succeeded so far, and a serializer waits for its response.
  func mustSerialize(_ result: AttemptResult) -> Bool {
    !result.isFinal && !mayBeRetried(result) && execution.state.withLock { !$0.retriableSerializers.isEmpty }
  }

  /// Runs the serializers that awaiting tasks and handlers have added, up to the first that fails.
  ///
  /// They run one after another in the pipeline, which is off the caller's actor, without a timeout of the attempt. The
  /// serializers that do not run here, because an earlier one failed, run after the request. With a handler, they run
  /// with the content that it loads, after it has checked the response; a refused response ends the request.
  ///
  /// - Returns: the reason why the request was ended meanwhile, if it was.
  mutating func serialize(_ result: inout AttemptResult) async -> LupineError? {
    var (outcome, loadFailure) = (result.outcome, LupineError?.none)
    if let handler = execution.handler, let response = outcome.response {
      if let refusal = await execution.refusal(of: response, by: handler) {
        result.outcome.error = refusal
        result.isFinal = true
        return nil
      }
      (outcome, loadFailure) = await execution.loaded(outcome)
    }
    for serializer in execution.state.withLock({ $0.retriableSerializers }) {
      let failure = serializer.serialize(outcome, loadFailure: loadFailure, of: execution)
      // The request may be cancelled or time out while a serializer runs.
      if let ended = execution.cancellation { return ended }
      guard let failure else { continue }
      serializationFailure = failure
      return nil
    }
    return nil
  }
}

/// The notes of the retriers about one attempt.
final class RetryNotes: Sendable {
  private let notes = Mutex<[String]>([])

  func add(_ note: String) { notes.withLock { $0.append(note) } }

  /// The reason, followed by the notes.
  func joined(to reason: String) -> String {
    let notes = notes.withLock { $0 }
    return notes.isEmpty ? reason : "\(reason): \(notes.joined(separator: "; "))"
  }
}
