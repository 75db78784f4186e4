import HTTPTypes
import LupineCore
import Synchronization

/// The next step of an attempt after a response.
enum NextStep: Sendable {
  /// The response is final, and its body is open.
  case answer(acceptsLongBody: Bool)
  /// The same request is sent with a credential for the server or the proxy.
  case authenticate
  /// Another request is sent: after a redirect, for the response's handler, such as a file from its beginning, or the
  /// same request without `Expect`.
  case restart(OutgoingRequest)
}

/// The exchanges of one attempt: prepare, cookies, credentials, send, follow.
///
/// `Redirects`, `RequestCookies`, `Resends` and the authentication states decide; this file acts on their decisions.
extension Attempt {
  /// Makes exchanges until a response is neither a redirect to follow nor a challenge to answer; returns at its head.
  ///
  /// A failed exchange is made again if that is safe; see `Resends`.
  @inline(__always)  // See `Pipeline.run`.
  mutating func send(_ request: OutgoingRequest) async throws(LupineError) -> FinalResponse {
    var request = request
    var resends = Resends()
    while true {
      var sent = request
      session.cookies.add(to: &sent)
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
      case .restart(let following):
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
      let response = try await session.openChain()(request, in: context)
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

/// Decides the next step after a response.
extension Attempt {
  /// Whether a response is final and neither a cookie store nor a handler uses it; the common case.
  func isPlainAnswer(_ response: TransportResponse) -> Bool {
    let status = response.statusCode
    guard session.cookies.store == nil, execution.handler == nil, status != 401, status != 407, status != 417,
      !RedirectRules.isRedirect(response.head, status)
    else { return false }
    return hasNoAuthentication
  }

  /// Decides what follows a response; opens its body if it is final.
  ///
  /// - Parameters:
  ///   - sent: the request as it was sent.
  ///   - request: the request without the fields of this exchange.
  mutating func nextStep(
    after response: TransportResponse, to sent: OutgoingRequest, for request: OutgoingRequest
  ) async throws(LupineError) -> NextStep {
    try notifySchemes(of: response, to: sent)
    session.cookies.keep(response, to: sent)
    reportEnd(of: response)
    if response.source == .origin, let next = unexpecting(request, after: response) { return .restart(next) }
    if let next = try redirect(after: response, to: request) { return .restart(next) }
    if let challenger = challenger(of: response.statusCode, from: response.source, to: request),
      try await answers(response, to: challenger)
    {
      return .authenticate
    }
    guard let handler = execution.handler else {
      receiveBody(of: response)
      return .answer(acceptsLongBody: false)
    }
    return try await step(of: handler, after: response, to: request)
  }

  /// Returns the request without `Expect: 100-continue`, if the server refuses that with 417 and the body can be sent
  /// again; `nil` otherwise (RFC 9110 section 10.1.1).
  private func unexpecting(_ request: OutgoingRequest, after response: TransportResponse) -> OutgoingRequest? {
    let field = request.headers[.expect]
    guard response.statusCode == 417, request.expectsContinue || field != nil,
      field.map({ $0.lowercased() == "100-continue" }) ?? true, request.body.isRetryable
    else { return nil }
    var next = request
    next.options.expectsContinue = false
    next.headers[.expect] = nil
    let error = LupineError(.unacceptableStatusCode(417), "The server does not support `Expect: 100-continue`.")
    emit(
      .resending(
        after: error.about(request.summary).about(response.head),
        reason: "the server does not support `Expect: 100-continue`"))
    return next
  }

  private func step(
    of handler: any ResponseHandler, after response: TransportResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> NextStep {
    let decision = try await handler.decide(response, to: request, in: session)
    for event in decision.events { emit(event) }
    switch decision.step {
    case .receive(let sink, let offset):
      receiveBody(of: response, into: sink, offset: offset)
      return .answer(acceptsLongBody: decision.acceptsLongBody)
    case .send(let work):
      response.body.open(.discard(limit: configuration.limits.discardedBody))
      try await awaitEnd(of: response)
      let next = try await execution.interruptible(throwing: work)
      if next.url != request.url {
        let reason = "the URL had expired, with status \(response.statusCode)"
        emit(.redirected(to: next.url.redacted, isFollowed: true, reason: reason))
      }
      return .restart(next)
    }
  }

  /// Opens the body of a final response.
  ///
  /// - Parameter sink: the sink of the decoded body; `nil` collects it in memory.
  func receiveBody(of response: TransportResponse, into sink: BodySink? = nil, offset: Int64 = 0) {
    guard let control = execution.state.withLock({ $0.control }) else { return response.body.abandon() }
    let stages =
      session.hasCodings
      ? configuration.contentCodings.decoders(for: response.head, limits: configuration.limits) : []
    let isGood = 200..<300 ~= response.statusCode
    execution.download.withLock {
      $0.begin(base: offset, fields: response.head.headerFields, isAnswer: isGood, now: response.body.begun)
    }
    let isFile = if case .file = sink?.destination { true } else { false }
    if !isFile { control.countAsProgress(response.body) }
    if let sink {
      response.body.open(BodySink(sink.destination, stages: stages + sink.stages))
    } else {
      response.body.open(BodySink(.collect(limit: session.exchangeSettings.limits.responseBody), stages: stages))
    }
    // The file is written while the program's closures decide about the head.
    if isFile {
      Task(executorPreference: configuration.executor) { _ = try? await response.body.end() }
    }
  }

  /// Returns the request that a redirect leads to; `nil` if the response is no redirect, or is kept as the response.
  private mutating func redirect(
    after response: TransportResponse, to request: OutgoingRequest
  ) throws(LupineError) -> OutgoingRequest? {
    let redirector = execution.state.withLock { $0.settings.redirector } ?? configuration.redirector
    let rules = RedirectRules(
      secrets: configuration.secretFields, limits: configuration.limits, allowsDowngrade: redirector.allowsDowngrade)
    switch redirects.decide(after: response, to: request, by: redirector, rules) {
    case nil: return nil
    case .follow(let next, let reason)?:
      reportRedirect(to: next.url.redacted, response.head, request, reason)
      return next
    case .keep(let reason)?:
      reportRedirect(to: nil, response.head, request, reason)
      return nil
    case .fail(let error)?:
      reportRedirect(to: nil, response.head, request, error.message)
      throw error
    }
  }

  /// - Parameter next: the URL of the next request; `nil` if the redirect is not followed.
  private func reportRedirect(to next: String?, _ head: HTTPResponse, _ request: OutgoingRequest, _ reason: String) {
    guard execution.isObserved else { return }
    let target = (try? request.url.resolving(location: head.locationReference()))?.redacted ?? "nowhere"
    emit(.redirected(to: next ?? target, isFollowed: next != nil, reason: reason))
  }
}
