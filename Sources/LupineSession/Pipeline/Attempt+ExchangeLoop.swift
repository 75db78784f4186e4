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
/// `Redirects`, `RequestCookies`, `Resends` and `Authentication` decide; this file acts on their decisions.
extension Attempt {
  /// Makes exchanges until a response is neither a redirect to follow nor a challenge to answer.
  ///
  /// Returns at the head of that response; after a challenge that the program does not answer, at its end.
  /// A failed exchange is made again if that is safe; see `Resends`.
  @inline(__always)  // See `Pipeline.run`.
  mutating func send(_ request: OutgoingRequest) async throws(LupineError) -> FinalResponse {
    var request = request
    var resends = Resends()
    while true {
      var sent = request
      session.cookies.add(to: &sent)
      if authentication.hasCredential { sent = try await authentication.authorized(sent) }
      let proxyAuthorization = session.hasProxies ? try await authentication.proxyAuthorization(for: sent) : nil
      sent.scanFields()
      try RequestRules.check(sent, limits: session.configuration.limits)
      if session.lacksTLS { try RequestRules.refuseHTTPS(sent) }
      if session.hasProxies { try session.refuseZoneBehindProxy(sent.url) }
      authentication.dropForeignCredentials(of: &sent, proxyAuthorization)
      let response: TransportResponse
      do throws(LupineError) {
        response = try await sendOnce(sent, for: request, proxyAuthorization, resends.needsNewConnection)
      } catch {
        guard execution.cancellation == nil else { throw error }
        reportResend(of: sent, after: error, try resends.add(sent, after: error))
        continue
      }
      if isPlainAnswer(response) {
        if session.cookies.hasStore { session.cookies.keep(response, to: sent) }
        exchange.open(response)
        return FinalResponse(response: response)
      }
      let next: NextStep
      do throws(LupineError) {
        next = try await nextStep(after: response, to: sent, for: request)
      } catch {
        await exchange.abandon(response.body)
        throw error
      }
      switch next {
      case .answer(let acceptsLongBody): return FinalResponse(response: response, acceptsLongBody: acceptsLongBody)
      case .authenticate: await exchange.discard(response)
      case .restart(let following):
        await exchange.discard(response)
        if following.url != request.url { authentication.follow(from: request.url, to: following.url) }
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
          // An interceptor sends again, and the response of its last call is still open.
          await exchange.abandon(body)
          continue
        }
        await execution.passGate()
        control = ExchangeControl(now: session.clock.now, for: execution)
      }
      emit(.sending(request.summary, SentFields(request.headers, secrets: session.configuration.secretFields)))
      var context = context(for: request, control: control, proxyAuthorization)
      if needsNewConnection { context.needsNewConnection = true }
      if request.hasStoredOptions, let change = request.options[ExchangeContextChange.self] {
        context = change(context)
      }
      let response = try await session.openChain()(request, in: context)
      execution.state.withLock { state in
        state.history.accept(response.head, response.attributes)
        state.source = response.source
      }
      if execution.isObserved {
        // The event alone would copy the whole response.
        let head = response.head
        emit(.head(head))
      }
      return response
    } catch {
      throw RunningExchange(execution, attempt: number, control).fail(error)
    }
  }

  /// The exchange that runs now.
  var exchange: RunningExchange {
    RunningExchange(execution, attempt: number, execution.state.withLock { $0.control })
  }

  /// Describes the exchange to the transport.
  mutating func context(
    for request: OutgoingRequest, control: ExchangeControl, _ proxyAuthorization: String? = nil
  ) -> TransferContext {
    let context = TransferContext(
      id: execution.id, attempt: number, settings: session.exchangeSettings, control: control)
    guard session.hasOwnRoutes || request.timeouts != nil else { return context }
    return context.connecting(
      as: connectionKey(for: request.url),
      within: request.timeouts.map(\.connect) ?? session.configuration.timeouts.connect,
      evaluator: configuration.trustPolicy?.evaluator(for: request.url),
      proxyEvaluator: session.proxyEvaluator(for: request.url), proxyAuthorization: proxyAuthorization,
      tolerating: configuration.tolerances.value(for: request.url) ?? [],
      keepsPartialBody: execution.handler?.keepsPartialBody == true)
  }

  /// The connection key of a URL, with its proxy, and with the connection credential if its scope allows the URL.
  private mutating func connectionKey(for url: HTTPURL) -> ConnectionKey {
    let scope = configuration.connectionCredential?.scope
    let isAuthenticated =
      (try? scope?.allows(url, baseURL: configuration.baseURL)) == true && authentication.admits(url)
    return session.connectionKeys.key(for: url, isAuthenticated: isAuthenticated)
  }
}

/// Decides the next step after a response.
extension Attempt {
  /// Whether a response is final, and no handler uses it; the common case.
  func isPlainAnswer(_ response: TransportResponse) -> Bool {
    let status = response.statusCode
    guard execution.handler == nil, status != 401, status != 407, status != 417,
      !RedirectRules.isRedirect(response.head, status)
    else { return false }
    return authentication.isUnused
  }

  /// Decides what follows a response; opens its body if it is final.
  ///
  /// - Parameters:
  ///   - sent: the request as it was sent.
  ///   - request: the request without the fields of this exchange.
  mutating func nextStep(
    after response: TransportResponse, to sent: OutgoingRequest, for request: OutgoingRequest
  ) async throws(LupineError) -> NextStep {
    try authentication.receive(response, to: sent)
    session.cookies.keep(response, to: sent)
    let exchange = exchange
    exchange.reportEnd(of: response)
    if let next = Resends.withoutExpectation(request, after: response) {
      let error = LupineError(.unacceptableStatusCode(417), "The server does not support `Expect: 100-continue`.")
      reportResend(of: request, after: error.about(response.head), .expectationRefused)
      return .restart(next)
    }
    if let next = try redirect(after: response, to: request) { return .restart(next) }
    if let challenge = authentication.challenge(of: response, to: request) {
      try await exchange.receiveChallengeBody(of: response)
      if try await authentication.answers(challenge) { return .authenticate }
    }
    guard let handler = execution.handler else {
      exchange.open(response)
      return .answer(acceptsLongBody: false)
    }
    return try await step(of: handler, after: response, to: request, exchange)
  }

  private func reportResend(of request: OutgoingRequest, after error: LupineError, _ reason: Resends.Reason) {
    emit(.resending(after: error.about(request.summary), reason: reason.rawValue))
  }

  private func step(
    of handler: any ResponseHandler, after response: TransportResponse, to request: OutgoingRequest,
    _ exchange: RunningExchange
  ) async throws(LupineError) -> NextStep {
    let decision = try await handler.decide(response, to: request, in: session)
    for event in decision.events { emit(event) }
    switch decision.step {
    case .receive(let sink, let offset):
      exchange.open(response, into: sink, offset: offset)
      return .answer(acceptsLongBody: decision.acceptsLongBody)
    case .send(let work):
      response.body.open(.discard(limit: configuration.limits.discardedBody))
      try await exchange.awaitEnd(of: response)
      let next = try await execution.interruptible(throwing: work)
      if next.url != request.url {
        let reason = "the URL had expired, with status \(response.statusCode)"
        emit(.redirected(to: next.url.redacted, isFollowed: true, reason: reason))
      }
      return .restart(next)
    }
  }

  /// Returns the request that a redirect leads to; `nil` if the response is no redirect, or is kept as the response.
  private mutating func redirect(
    after response: TransportResponse, to request: OutgoingRequest
  ) throws(LupineError) -> OutgoingRequest? {
    // Most responses do not redirect, and need neither the redirector nor the rules.
    guard RedirectRules.isRedirect(response.head, response.statusCode) else { return nil }
    let redirector = execution.state.withLock { $0.settings.redirector } ?? configuration.redirector
    let rules = RedirectRules(
      secrets: configuration.secretFields, limits: configuration.limits, allowsDowngrade: redirector.allowsDowngrade)
    guard let decision = redirects.decide(after: response, to: request, by: redirector, rules) else { return nil }
    if execution.isObserved { emit(decision.event(of: response.head, to: request)) }
    return try decision.next.get()
  }
}
