import HTTPTypes
import LupineCoding
import LupineCore
import Synchronization

extension Pipeline {
  /// Makes one attempt: adapts, sends, receives and validates.
  @inline(__always)  // See `run`.
  func attempt(_ original: OutgoingRequest, _ number: Int) async -> AttemptResult {
    var entry = task.enterAttempt()
    // The request may be suspended again before the attempt begins.
    while entry.mustWait {
      await task.passGate()
      entry = task.enterAttempt()
    }
    if let ended = entry.ended { return .failed(ended, request: original, isFinal: true) }
    let hasPolicies = session.hasPolicies || !entry.hasNoOverrides
    var request = original
    if number > 1 { task.state.withLock { $0.exchange = ExchangeLoop.State(attempt: number) } }
    task.boundAttempt(of: original)
    do throws(LupineError) {
      let adapters = hasPolicies ? self.adapters : []
      request = try await prepared(adapters.isEmpty ? original : try await adapted(original, by: adapters, number))
      if !adapters.isEmpty { task.takeTimeouts(of: request) }
      task.emit(.attempting(request.summary), attempt: number)
      let interceptors = hasPolicies ? self.interceptors : []
      let received =
        interceptors.isEmpty
        ? try await exchange(request, number) : try await exchange(request, number, through: interceptors)
      // An interceptor may have let a response through after the request was cancelled.
      let (ended, validators) = task.state.withLock { state in
        (state.endAttempt() ?? state.cancellation, state.settings.validators)
      }
      if let ended { throw ended }
      // A response that is handed over at its head has been validated there.
      let isJudged = task.handsOverAtHead
      var refusal: LupineError?
      if !isJudged {
        // Avoids an asynchronous call in the common case.
        if validators.isEmpty {
          task.emit(.validated(nil), attempt: number)
        } else {
          refusal = await self.refusal(of: received, by: validators, number)
        }
      }
      var outcome = Outcome(received)
      if let refusal { outcome.error = refusal }
      return AttemptResult(request: request, outcome: outcome, isFinal: isJudged)
    } catch {
      return failed(error, request, number)
    }
  }

  private func failed(_ error: LupineError, _ request: OutgoingRequest, _ number: Int) -> AttemptResult {
    let (ended, expired, last) = task.state.withLock { ($0.cancellation, $0.endAttempt(), $0.lastInAttempt) }
    let isFinal = ended != nil || task.state.withLock { $0.isHandedOver }
    let result = AttemptResult.failed(ended ?? expired ?? error, request: request, after: last, isFinal: isFinal)
    task.emit(.failed(result.outcome.error ?? error), attempt: number)
    return result
  }

  /// Makes the exchanges and waits for the body.
  @inline(__always)  // See `run`.
  private func exchange(
    _ request: OutgoingRequest, _ number: Int
  ) async throws(LupineError) -> ReceivedResponse {
    let loop = ExchangeLoop(task, number)
    let answer = try await loop.send(request)
    // Avoids an asynchronous call in the common case.
    if let received = loop.received(answer.response, to: request) { return received }
    return try await loop.receive(answer, to: request)
  }

  /// Whether there may be adapters, interceptors or retriers; a fast check, because many requests have none.
  var hasPolicies: Bool { session.hasPolicies || !task.state.withLock { $0.settings.areDefault } }

  /// The session's adapters, then the request's.
  private var adapters: [any RequestAdapter] {
    let own = task.state.withLock { $0.settings.adapters }
    return own.isEmpty ? session.configuration.adapters : session.configuration.adapters + own
  }

  private func adapted(
    _ request: OutgoingRequest, by adapters: [any RequestAdapter], _ number: Int
  ) async throws(LupineError) -> OutgoingRequest {
    var request = request
    for adapter in adapters {
      let input = request
      do {
        request = try await task.interruptible { [session] in try await adapter.adapt(input, for: session) }
      } catch let error as LupineError {
        throw error
      } catch {
        throw LupineError(.adaptationFailed, "A request adapter threw: \(error).", underlying: error)
      }
      if task.isObserved {
        task.emit(.adapted(request.summary, by: String(describing: type(of: adapter))), attempt: number)
      }
    }
    return request
  }

  /// The error of the validator that refuses a response; `nil` if none does.
  func refusal(
    of received: ReceivedResponse, by validators: [ResponseValidator], _ number: Int
  ) async -> LupineError? {
    var refusal: LupineError?
    do throws(LupineError) {
      for validator in validators { try validator.validate(received, hasBody: hasBody(received)) }
    } catch {
      let limit = session.configuration.limits.errorBody
      let beginning = await task.handler?.refuse(limit: limit) ?? received.beginning
      refusal = explained(error, received, number).about(received.request.summary).about(received.head)
        .carrying(beginning, limit: limit)
      // The metrics are available only at the end of the body.
      if !task.handsOverAtHead { refusal = refusal?.measured(received.metrics) }
    }
    task.emit(.validated(refusal), attempt: number)
    return refusal
  }

  /// Whether the response had a body, if its data do not show it; `nil` if they do.
  private func hasBody(_ response: ReceivedResponse) -> Bool? {
    guard task.handler != nil else { return nil }
    return task.handsOverAtHead || response.hasData || task.download.withLock { $0.hasTransferred }
  }

  /// Adds to the error which scheme would answer the challenge, or why none did.
  private func explained(_ error: LupineError, _ received: ReceivedResponse, _ number: Int) -> LupineError {
    guard received.statusCode == (received.source == .origin ? 401 : 407) else { return error }
    if let remedy = session.configuration.schemes.remedy(for: received.head) {
      return error.noting("No scheme of the session fits the challenge; \(remedy).")
    }
    let challenger = ExchangeLoop(task, number).challenger(
      of: received.statusCode, from: received.source, to: received.request)
    guard let challenger, challenger.hasCredential, !challenger.request.body.isReplayable else { return error }
    return error.noting("The challenge was not answered: the request's body can be sent only once.")
  }
}

extension Pipeline {
  /// Adds the session's default fields; a field that the request already has is not changed.
  ///
  /// No content coding is requested with a range, because a part of coded content cannot be decoded, and many servers
  /// would send the whole content.
  @inline(__always)  // See `run`.
  func prepared(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
    guard let handler = task.handler else { return try withDefaults(request) }
    let prepared = await handler.prepare(request, secrets: session.configuration.secretFields)
    // If an earlier attempt refreshed the URL, its origin still does not receive the credential.
    let (first, url) = (request.url, prepared.url)
    if url != first, url.origin != first.origin { task.state.withLock { $0.exchange.follow(from: first, to: url) } }
    return try withDefaults(prepared)
  }

  private func withDefaults(_ request: OutgoingRequest) throws(LupineError) -> OutgoingRequest {
    var request = request
    if let version = session.configuration.version, request.version == nil { request.options.version = version }
    if !request.hasFields, let shared = session.configuration.sharedFields { return request.taking(shared) }
    let described = request
    for field in session.configuration.defaultFields where !described.headers.contains(field.field.name) {
      if let scope = field.scope {
        guard try scope.allows(request.url, baseURL: session.baseURL) else { continue }
      }
      let isForPart = described.headers.contains(.range) && isOwnCodings(field.field)
      request.headers.append(isForPart ? HTTPField(name: .acceptEncoding, value: "identity") : field.field)
    }
    request.scanFields()
    return request
  }

  /// Whether the field is the session's own `Accept-Encoding`.
  private func isOwnCodings(_ field: HTTPField) -> Bool {
    field.name == .acceptEncoding && field.value == session.configuration.contentCodings.acceptEncoding
  }
}
