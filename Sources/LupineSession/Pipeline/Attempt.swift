import HTTPTypes
import LupineCoding
import LupineCore
import LupineSupport
import Synchronization

/// One attempt of a request: its exchanges, and their results so far.
///
/// The pipeline owns the value. Values that other threads read or change, such as the running exchange, are in the
/// request's state.
struct Attempt: Sendable {
  let execution: RequestExecution
  var authentication: Authentication
  var redirects = Redirects()
  var retries: Retries
  /// The last body that interceptors received; its metrics are used if they abandon it.
  var body: ResponseBody?
  /// See `FinalResponse.acceptsLongBody`.
  var acceptsLongBody = false

  /// The first attempt of a request.
  init(_ execution: RequestExecution) { self.init(execution, Retries(execution)) }

  private init(_ execution: RequestExecution, _ retries: Retries) {
    self.execution = execution
    self.retries = retries
    authentication = Authentication(execution, attempt: retries.attempt)
  }

  /// The attempt that retries this one.
  func next() -> Attempt { Attempt(execution, retries.next()) }

  /// The attempt for the response after the one that this attempt has handed over.
  func nextResponse() -> Attempt { Attempt(execution, Retries(execution, earlierAttempts: number)) }

  var number: Int { retries.attempt }
  var session: Session { execution.session }
  var configuration: SessionConfiguration { execution.session.configuration }

  func emit(_ kind: @autoclosure () -> SessionEvent.Kind) { execution.emit(kind(), attempt: number) }
}

extension Attempt {
  /// Makes one attempt: adapts, sends, receives and validates.
  @inline(__always)  // See `Pipeline.run`.
  mutating func run(_ original: OutgoingRequest) async -> AttemptResult {
    var entry = execution.enterAttempt(number)
    // The request may be suspended again before the attempt begins.
    while entry.mustWait {
      await execution.passGate()
      entry = execution.enterAttempt(number)
    }
    if let ended = entry.ended { return .failed(ended, request: original, isFinal: true) }
    let hasPolicies = session.hasPolicies || !entry.hasNoOverrides
    var request = original
    execution.timeLimits.beginAttempt(of: original)
    do throws(LupineError) {
      let adapters = hasPolicies ? self.adapters : []
      request = try await prepared(adapters.isEmpty ? original : try await adapted(original, by: adapters))
      if !adapters.isEmpty { execution.timeLimits.change(by: request) }
      emit(.attempting(request.summary))
      let interceptors = hasPolicies ? self.interceptors : []
      let received =
        interceptors.isEmpty
        ? try await receive(try await send(request), to: request) : try await exchange(request, through: interceptors)
      // An interceptor may have returned a response after the request was cancelled.
      let (ended, validators) = execution.state.withLock { state in
        (state.timing.endAttempt() ?? state.cancellation, state.settings.validators)
      }
      if let ended { throw ended }
      // A response that is handed over at its head has been validated there.
      let isValidated = execution.handsOverAtHead
      var refusal: LupineError?
      if !isValidated {
        refusal = await self.refusal(of: received, by: validators)
      }
      var outcome = RequestOutcome(received)
      if let refusal { outcome.error = refusal }
      if !redirects.steps.isEmpty { outcome.redirects = redirects.steps }
      return AttemptResult(request: request, outcome: outcome, isFinal: isValidated)
    } catch {
      return failed(error, request)
    }
  }

  func failed(_ error: LupineError, _ request: OutgoingRequest) -> AttemptResult {
    let (ended, expired, last) = execution.state.withLock {
      ($0.cancellation, $0.timing.endAttempt(), $0.lastInAttempt)
    }
    let isFinal = ended != nil || execution.state.withLock { $0.isHandedOver }
    var result = AttemptResult.failed(ended ?? expired ?? error, request: request, after: last, isFinal: isFinal)
    if !redirects.steps.isEmpty { result.outcome.redirects = redirects.steps }
    emit(.failed(result.outcome.error ?? error))
    return result
  }

  /// The session's adapters, then the request's.
  private var adapters: [any RequestAdapter] {
    let own = execution.state.withLock { $0.settings.adapters }
    return own.isEmpty ? session.configuration.adapters : session.configuration.adapters + own
  }

  private func adapted(
    _ request: OutgoingRequest, by adapters: [any RequestAdapter]
  ) async throws(LupineError) -> OutgoingRequest {
    var request = request
    for adapter in adapters {
      let input = request
      do {
        request = try await execution.interruptible { [session] in try await adapter.adapt(input, for: session) }
      } catch let error as LupineError {
        throw error
      } catch {
        throw LupineError(.adaptationFailed, "A request adapter threw: \(error).", underlying: error)
      }
      if execution.isObserved {
        emit(.adapted(request.summary, by: String(describing: type(of: adapter))))
      }
    }
    return request
  }

  /// The error of the validator that refuses a response; `nil` if none does.
  @inline(__always)  // See `Pipeline.run`.
  func refusal(
    of received: ReceivedResponse, by validators: [ResponseValidator]
  ) async -> LupineError? {
    var refusal: LupineError?
    do throws(LupineError) {
      for validator in validators { try validator.validate(received, hasBody: hasBody(received)) }
    } catch {
      refusal = await completed(error, by: received)
    }
    emit(.validated(refusal))
    return refusal
  }

  /// Adds the response that a validator has refused to its error, and drops the content.
  private func completed(_ error: LupineError, by received: ReceivedResponse) async -> LupineError {
    let limit = session.configuration.limits.errorBody
    let beginning = await execution.handler?.dropResponse(keeping: limit) ?? received.beginning
    let refusal = authentication.explained(error, by: received).about(received.request.summary).about(received.head)
      .carrying(beginning, limit: limit)
    // The metrics are available only at the end of the body.
    return execution.handsOverAtHead ? refusal : refusal.measured(received.metrics)
  }

  /// Whether the response had a body; `nil` without a handler, because the data of the response then show it.
  private func hasBody(_ response: ReceivedResponse) -> Bool? {
    guard execution.handler != nil else { return nil }
    return execution.handsOverAtHead || response.hasData
      || execution.progress.report(of: .download) { $0.hasTransferred }
  }
}

extension Attempt {
  /// Prepares the request with the handler, and adds the session's default fields.
  @inline(__always)  // See `Pipeline.run`.
  mutating func prepared(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
    guard let handler = execution.handler else { return try session.addingDefaults(to: request) }
    let prepared = await handler.prepare(request, in: session)
    // A refreshed URL of another origin does not receive the credential.
    let (first, url) = (request.url, prepared.url)
    if url != first, url.origin != first.origin { authentication.follow(from: first, to: url) }
    return try session.addingDefaults(to: prepared)
  }
}

/// The result of one attempt.
struct AttemptResult: Sendable {
  /// The request as the attempt sent it first, before redirects.
  var request: OutgoingRequest
  var outcome: RequestOutcome
  /// Whether the request ends without a decision of the retriers.
  var isFinal = false

  /// - Parameter last: the last exchange of the attempt.
  static func failed(
    _ error: LupineError, request: OutgoingRequest, after last: LastExchange = LastExchange(), isFinal: Bool
  ) -> AttemptResult {
    var outcome = RequestOutcome(request: request, error: error.about(request.summary))
    outcome.complete(with: last)
    return AttemptResult(request: request, outcome: outcome, isFinal: isFinal)
  }
}
