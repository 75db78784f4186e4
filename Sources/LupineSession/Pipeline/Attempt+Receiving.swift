import HTTPTypes
import LupineCore
import Synchronization

/// A final response, whose body may still be arriving.
struct FinalResponse: Sendable {
  var response: TransportResponse
  /// Whether the response is accepted without a body that exceeds a limit.
  var acceptsLongBody = false
}

/// Receives the final response of an attempt, and hands it over at its head if its body has a reader.
extension Attempt {
  /// Waits for the whole response; avoids an asynchronous call in the common case.
  @inline(__always)  // See `Pipeline.run`.
  mutating func receive(
    _ answer: FinalResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> ReceivedResponse {
    if let received = receivedAtOnce(answer.response, to: request) { return received }
    return try await receive(answer, of: exchange, to: request)
  }

  /// The whole response, if it is available without waiting.
  ///
  /// Requires that there are no response deciders and that the body has ended successfully.
  private func receivedAtOnce(_ response: TransportResponse, to request: OutgoingRequest) -> ReceivedResponse? {
    guard !execution.handsOverAtHead, let end = response.body.goodEnd,
      let ended = execution.state.withLock({ $0.conclude(status: response.statusCode, end.metrics) })
    else { return nil }
    ended.control?.finish(after: response.body)
    if ended.reportsEnd { RunningExchange(execution, attempt: number, ended.control).emit(end) }
    var received = ReceivedResponse(request: ended.sent ?? request, response: response, end: end)
    // Here nothing else holds the response, so that it is not copied.
    received.permitWarnings(to: execution)
    return received
  }

  /// Waits for the response of an exchange, or hands it over at its head, and ends the exchange.
  ///
  /// - Parameter first: the request of the attempt, which is the request of the response if none was sent.
  mutating func receive(
    _ answer: FinalResponse, of exchange: RunningExchange, to first: OutgoingRequest
  ) async throws(LupineError) -> ReceivedResponse {
    let response = answer.response
    let (sent, deciders) = execution.state.withLock { state in
      // An interceptor may have changed the head, or have made the response.
      state.history.accept(response.head, response.attributes)
      return (state.sentInAttempt ?? first, state.settings.responseDeciders)
    }
    if !deciders.isEmpty { try await decide(on: response, deciders, exchange) }
    if execution.handsOverAtHead, let refusal = await handOver(response, to: sent, after: first, exchange) {
      throw refusal
    }
    do throws(LupineError) {
      let end = try await end(of: answer)
      exchange.finish(end, status: response.statusCode)
      return ReceivedResponse(request: sent, response: response, end: end)
    } catch {
      throw exchange.fail(error, status: response.statusCode)
    }
  }

  /// The end of the body.
  ///
  /// A body that exceeds a size limit but is not needed counts as empty, so that the request ends with its status.
  func end(of answer: FinalResponse) async throws(LupineError) -> BodyEnd {
    let body = answer.response.body
    guard answer.acceptsLongBody else { return try await body.end() }
    return try await body.end(excerptingExcess: configuration.limits.errorBody)
  }

  /// Calls the response deciders, and ends the request if one of them cancels.
  private func decide(
    on response: TransportResponse, _ deciders: [@Sendable (HTTPResponse) async -> ResponseDisposition],
    _ exchange: RunningExchange
  ) async throws(LupineError) {
    for decider in deciders {
      let head = response.head
      let disposition = (try? await execution.interruptible { await decider(head) }) ?? .cancel
      guard disposition == .cancel else { continue }
      let error = LupineError(
        .cancelled, "The request was cancelled at the head of its response, with status \(head.status.code).")
      // If the request was ended meanwhile, the handler keeps what it has stored.
      let isEnded = execution.state.withLock { $0.reasonToEnd != nil }
      execution.cancel(error)
      let refusal = await exchange.refuse(response, error)
      if !isEnded { _ = await execution.handler?.dropResponse(keeping: 0) }
      throw refusal.caused(by: exchange.control)
    }
  }

  /// Validates a head before its body is handed over; returns the refusal, or `nil` if it is accepted.
  ///
  /// For a refused response, reads the first bytes of the body for the error. Reads no body if the response
  /// is retried.
  private mutating func handOver(
    _ response: TransportResponse, to request: OutgoingRequest, after first: OutgoingRequest,
    _ exchange: RunningExchange
  ) async -> LupineError? {
    let head = ReceivedResponse(
      request: request, head: response.head, source: response.source, attributes: response.attributes)
    let validators = execution.state.withLock { $0.settings.validators }
    if let refusal = await self.refusal(of: head, by: validators) {
      return await exchange.refuse(response, refusal, reading: configuration.limits.errorBody)
    }
    var outcome = RequestOutcome(head)
    if !redirects.steps.isEmpty { outcome.redirects = redirects.steps }
    if let refusal = await retries.refusal(atHeadOf: outcome, after: first) {
      return await exchange.refuse(response, refusal)
    }
    execution.streamedHandler?.handOver(response)
    for waiter in execution.state.withLock({ $0.handOver() }) { waiter.resume() }
    return nil
  }
}
