import HTTPTypes
import LupineCore
import Synchronization

/// The next step of an attempt after a response.
enum NextStep: Sendable {
  /// The response is final, and its body is open.
  case answer(acceptsLongBody: Bool)
  /// A redirect is followed.
  case redirect(OutgoingRequest)
  /// The same request is sent with a credential for the server or the proxy.
  case authenticate
  /// Another request is sent: one of the response's handler, for example for a file from its beginning, or the same
  /// request without `Expect`.
  case restart(OutgoingRequest)
}

extension Attempt {
  /// Whether a response is final and neither a cookie store nor a handler uses it; the common case.
  func isPlainAnswer(_ response: TransportResponse) -> Bool {
    let status = response.statusCode
    guard !session.hasCookieStore, execution.handler == nil, status != 401, status != 407, status != 417,
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
    keepCookies(of: response, to: sent)
    reportEnd(of: response)
    if response.source == .origin, let next = unexpecting(request, after: response) { return .restart(next) }
    // A proxy's response cannot redirect the request.
    if response.source == .origin, let next = try redirect(after: response, to: request) { return .redirect(next) }
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
    let head = response.head
    guard RedirectRules.isRedirect(head, response.statusCode) else { return nil }
    let redirector = execution.state.withLock { $0.settings.redirector } ?? session.configuration.redirector
    let rules = RedirectRules(
      secrets: session.configuration.secretFields, limits: session.configuration.limits,
      allowsDowngrade: redirector.allowsDowngrade)
    visited.append(request.url)
    do throws(LupineError) {
      let proposed = try rules.next(after: head, to: request, visited: visited)
      let next = redirector.decide(proposed, head).map { rules.withoutStraySecrets($0, from: request) }
      reportRedirect(to: next?.url.redacted, head, request, next == nil ? Self.isKept : "status \(head.status.code)")
      guard let next else { return nil }
      redirects.append(RedirectStep(request: request, response: head))
      return next
    } catch {
      reportRedirect(to: nil, head, request, redirector.follows ? error.message : Self.isKept)
      if redirector.follows { throw error }
      return nil
    }
  }

  private static let isKept = "the redirector keeps it as the response"

  /// - Parameter next: the URL of the next request; `nil` if the redirect is not followed.
  private func reportRedirect(to next: String?, _ head: HTTPResponse, _ request: OutgoingRequest, _ reason: String) {
    guard execution.isObserved else { return }
    let target = (try? request.url.resolving(location: head.locationReference()))?.redacted ?? "nowhere"
    emit(.redirected(to: next ?? target, isFollowed: next != nil, reason: reason))
  }
}
