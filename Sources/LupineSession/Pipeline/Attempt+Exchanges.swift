import HTTPTypes
import LupineCore
import Synchronization

/// Makes the exchanges of one attempt: the request, then those after redirects and challenges.
extension Attempt {
  func warn(_ text: String) { emit(.warning(text)) }

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

  /// Makes exchanges until a response is neither a redirect to follow nor a challenge to answer; returns at its head.
  ///
  /// A failed exchange is made again if that is safe; see `Resends`.
  @inline(__always)  // See `Pipeline.run`.
  mutating func send(_ request: OutgoingRequest) async throws(LupineError) -> FinalResponse {
    var request = request
    var resends = Resends()
    while true {
      var sent = request
      addCookies(to: &sent)
      if hasCredential { sent = try await authorized(sent) }
      let proxyAuthorization = session.hasProxies ? try await self.proxyAuthorization(for: sent) : nil
      sent.scanFields()
      try RequestRules.check(sent, limits: session.configuration.limits)
      if session.lacksTLS { try RequestRules.refuseHTTPS(sent) }
      dropForeignCredentials(of: &sent, proxyAuthorization)
      let response: TransportResponse
      do throws(LupineError) {
        response = try await sendOnce(sent, for: request, proxyAuthorization, resends.needsNewConnection)
      } catch {
        try resend(sent, after: error, &resends)
        continue
      }
      if isPlainAnswer(response) {
        receiveBody(of: response)
        return FinalResponse(response: response)
      }
      let next: NextStep
      do throws(LupineError) {
        next = try await nextStep(after: response, to: sent, for: request)
      } catch {
        await abandonExchange(response.body)
        throw error
      }
      switch next {
      case .answer(let acceptsLongBody): return FinalResponse(response: response, acceptsLongBody: acceptsLongBody)
      case .authenticate: await leave(response)
      case .redirect(let following), .restart(let following):
        await leave(response)
        if following.url != request.url { follow(from: request.url, to: following.url) }
        request = following
      }
    }
  }

  /// - Parameters:
  ///   - original: the request without the fields of this exchange; a redirect starts from it.
  ///   - proxyAuthorization: the value that is sent to the proxy only.
  ///   - needsNewConnection: see `TransferContext.needsNewConnection`.
  @inline(__always)  // See `Pipeline.run`.
  private mutating func sendOnce(
    _ request: OutgoingRequest, for original: OutgoingRequest, _ proxyAuthorization: String?, _ needsNewConnection: Bool
  ) async throws(LupineError) -> TransportResponse {
    var control = ExchangeControl(now: session.clock.now, for: execution)
    do throws(LupineError) {
      while try !execution.begin(control, request, for: original) {
        guard execution.mustWait else {
          await abandonExchange()
          continue
        }
        await execution.passGate()
        control = ExchangeControl(now: session.clock.now, for: execution)
      }
      emit(.sending(request.summary))
      var context = context(for: request, control: control, proxyAuthorization)
      if needsNewConnection { context.needsNewConnection = true }
      let response = try await session.openRoute()(request, in: context)
      execution.state.withLock { state in
        state.history.accept(response.head, response.attributes)
        state.source = response.source
      }
      emit(.head(response.head))
      return response
    } catch {
      close(control, status: nil, metrics: error.metrics)
      throw error.caused(by: control)
    }
  }

  func close(_ control: ExchangeControl?, status: Int?, metrics: TransferMetrics?) {
    control?.finish()
    execution.state.withLock { $0.endExchange(status: status, metrics: metrics) }
  }

  /// Describes the exchange to the transport.
  mutating func context(
    for request: OutgoingRequest, control: ExchangeControl, _ proxyAuthorization: String? = nil
  ) -> TransferContext {
    let context = TransferContext(
      id: execution.id, attempt: number, settings: session.exchangeSettings, control: control)
    guard session.hasOwnRoutes || request.timeouts != nil else { return context }
    return context.connecting(
      as: connectionKey(for: request),
      within: request.timeouts.map(\.connect) ?? session.configuration.timeouts.connect,
      evaluator: configuration.trustPolicy?.evaluator(for: request.url),
      proxyEvaluator: session.proxyEvaluator(for: request.url), proxyAuthorization: proxyAuthorization)
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
