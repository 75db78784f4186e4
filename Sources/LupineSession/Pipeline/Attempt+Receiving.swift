import HTTPTypes
import LupineCore
import Synchronization

/// Receives the final response of an attempt, and hands it over at its head if its body has a reader.
extension Attempt {
  /// The whole response, if it is available without waiting; the common case.
  ///
  /// Requires that there are no response deciders and that the body has ended successfully.
  func received(_ response: TransportResponse, to request: OutgoingRequest) -> ReceivedResponse? {
    guard !execution.handsOverAtHead, let end = response.body.goodEnd,
      let ended = execution.state.withLock({ $0.conclude(status: response.statusCode, end.metrics) })
    else { return nil }
    ended.control?.finish(after: response.body)
    if ended.reportsEnd { report(end) }
    return ReceivedResponse(request: ended.sent ?? request, response: response, end: end)
  }

  /// Waits for the whole response.
  mutating func receive(
    _ answer: FinalResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> ReceivedResponse {
    try await receive(answer, execution.state.withLock { $0.control }, to: request)
  }

  private func received(
    _ response: TransportResponse, _ end: BodyEnd, _ control: ExchangeControl?, to request: OutgoingRequest
  ) -> ReceivedResponse {
    let reportsEnd = execution.isObserved && execution.state.withLock { $0.takeEndReport(of: control) }
    close(control, status: response.statusCode, metrics: end.metrics)
    if reportsEnd { report(end) }
    return ReceivedResponse(request: request, response: response, end: end)
  }

  mutating func receive(
    _ answer: FinalResponse, _ control: ExchangeControl?, to fallback: OutgoingRequest
  ) async throws(LupineError) -> ReceivedResponse {
    let response = answer.response
    let (sent, deciders) = execution.state.withLock { state in
      // An interceptor may have changed the head, or have made the response.
      state.history.accept(response.head, response.attributes)
      return (state.sentInAttempt, state.settings.responseDeciders)
    }
    let refusal: LupineError
    do throws(LupineError) {
      if !deciders.isEmpty { try await decide(on: response, deciders, control) }
      guard execution.handsOverAtHead,
        let found = await handOver(response, to: sent ?? fallback, after: fallback, control)
      else { return received(response, try await end(of: answer), control, to: sent ?? fallback) }
      refusal = found
    } catch {
      close(control, status: response.statusCode, metrics: error.metrics)
      throw error.caused(by: control)
    }
    // The refusal is the error, even if reading the body failed.
    close(control, status: response.statusCode, metrics: refusal.metrics)
    throw refusal
  }

  /// Calls the response deciders, and ends the request if one of them cancels.
  private func decide(
    on response: TransportResponse, _ deciders: [@Sendable (HTTPResponse) async -> ResponseDisposition],
    _ control: ExchangeControl?
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
      let refusal = await refused(response, control, error)
      if !isEnded { _ = await execution.handler?.dropResponse(keeping: 0) }
      throw refusal
    }
  }

  /// Validates a head before its body is handed over; returns the refusal, or `nil` if it is accepted.
  ///
  /// For a refused response, reads the first bytes of the body for the error. For one that is retried, reads nothing
  /// more.
  private mutating func handOver(
    _ response: TransportResponse, to request: OutgoingRequest, after first: OutgoingRequest,
    _ control: ExchangeControl?
  ) async -> LupineError? {
    let head = ReceivedResponse(
      request: request, head: response.head, source: response.source, attributes: response.attributes)
    let validators = execution.state.withLock { $0.settings.validators }
    if let refusal = await self.refusal(of: head, by: validators) {
      return await refused(response, control, refusal, reading: configuration.limits.errorBody)
    }
    if let refusal = await refusalAtHead(of: head, after: first) {
      return await refused(response, control, refusal)
    }
    execution.streamedHandler?.handOver(response)
    for waiter in execution.state.withLock({ $0.handOver() }) { waiter.resume() }
    return nil
  }
}

/// A final response, whose body may still be arriving.
struct FinalResponse: Sendable {
  var response: TransportResponse
  /// Whether the response is accepted without a body that exceeds a limit.
  var acceptsLongBody = false
}

extension LupineError {
  /// Replaces the transport's `cancelled` error with the reason that the session gave.
  func caused(by control: ExchangeControl?) -> LupineError {
    guard let reason = control?.reason else { return self }
    return metrics.map { reason.measured($0) } ?? reason
  }
}
