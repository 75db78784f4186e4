import HTTPTypes
import Synchronization

/// The exchanges of one attempt: the request, then whatever redirects and challenges lead to.
final class ExchangeLoop: Sendable {
  private struct State {
    var request: OutgoingRequest?
    var control: TransferControl?
    var hasAnswered = false
    /// Whether a redirect has led to another origin, where a credential has no business from then on.
    var hasLeftOrigin = false
    /// Where the redirects were that have been met.
    var visited: [HTTPURL] = []
    /// What the redirect of the current exchange leads to; decided at its head, so that the sink fits.
    var redirect: Result<OutgoingRequest, LupineError>?
  }

  private let pipeline: Pipeline
  private let number: Int
  private let state = Mutex(State())

  init(_ pipeline: Pipeline, _ number: Int) {
    self.pipeline = pipeline
    self.number = number
  }

  private var task: RequestTask { pipeline.task }
  private var session: Session { pipeline.session }
  var configuration: SessionConfiguration { pipeline.session.configuration }

  func warn(_ text: String) { task.emit(.warning(text), attempt: number) }

  /// Sends the request and waits for the whole response.
  func receive(_ request: OutgoingRequest) async throws(LupineError) -> ReceivedResponse {
    let response = try await send(request)
    return try await receive(response, state.withLock { $0.control }, to: request)
  }

  /// Waits for the whole of a response that interceptors have passed on, or made by themselves.
  ///
  /// - Parameter control: the life of a body that an interceptor made.
  func receive(
    _ response: TransportResponse, from request: OutgoingRequest, orOwn control: TransferControl
  ) async throws(LupineError) -> ReceivedResponse {
    let (sent, exchange) = state.withLock { ($0.request ?? request, $0.control) }
    if let exchange, exchange.carries(response.body) { return try await receive(response, exchange, to: request) }
    abandonExchange()
    try task.begin(control, sent)
    return try await receive(response, control, to: request)
  }

  private func receive(
    _ response: TransportResponse, _ control: TransferControl?, to fallback: OutgoingRequest
  ) async throws(LupineError) -> ReceivedResponse {
    let sent = state.withLock { $0.request }
    do throws(LupineError) {
      try await decide(on: response, control)
      if task.consumer.takesBodyAtHead { try await handOver(response, to: sent ?? fallback, control) }
      let end = try await response.body.end()
      close(control, status: response.head.status.code, metrics: end.metrics)
      if let trailers = end.trailers { task.emit(.trailers(trailers), attempt: number) }
      task.emit(.received(bytes: end.byteCount, end.metrics), attempt: number)
      return ReceivedResponse(
        request: sent ?? fallback, head: response.head, data: end.data, trailers: end.trailers, metrics: end.metrics,
        source: response.source)
    } catch {
      close(control, status: response.head.status.code, metrics: error.metrics)
      throw error.caused(by: control).about(response.head)
    }
  }

  /// Asks those who may refuse a response at its head, and ends the request where one does.
  private func decide(on response: TransportResponse, _ control: TransferControl?) async throws(LupineError) {
    for decider in task.state.withLock({ $0.settings.responseDeciders }) {
      let head = response.head
      let disposition = (try? await task.interruptible { await decider(head) }) ?? .cancel
      guard disposition == .cancel else { continue }
      let error = LupineError(
        .cancelled, "The request was cancelled at the head of its response, with status \(head.status.code).")
      task.cancel(error)
      throw await refused(response, control, error)
    }
  }

  /// Gives up a response whose body has not been handed over.
  private func refused(
    _ response: TransportResponse, _ control: TransferControl?, _ error: LupineError
  ) async -> LupineError {
    control?.cancel(error)
    response.body.abandon()
    _ = try? await response.body.end()
    return error
  }

  /// Validates a head before its body is handed over; a response that is refused is not read further.
  private func handOver(
    _ response: TransportResponse, to request: OutgoingRequest, _ control: TransferControl?
  ) async throws(LupineError) {
    let head = ReceivedResponse(request: request, head: response.head)
    if let error = pipeline.validated(head, to: request, number).outcome.error {
      throw await refused(response, control, error)
    }
    task.consumer.began(response)
  }

  /// Makes exchanges until one is neither redirected nor challenged; returns at its head.
  func send(_ request: OutgoingRequest) async throws(LupineError) -> TransportResponse {
    var request = request
    while true {
      let response = try await sendOnce(request)
      let next: OutgoingRequest?
      do throws(LupineError) {
        next = try await following(response, to: request)
      } catch {
        abandonExchange()
        throw error.about(response.head)
      }
      guard let next else { return response }
      let metrics = await metrics(of: response.body)
      close(state.withLock { $0.control }, status: response.head.status.code, metrics: metrics)
      if next.url.origin != request.url.origin { state.withLock { $0.hasLeftOrigin = true } }
      request = next
    }
  }

  /// What an exchange cost whose body nobody wants.
  private func metrics(of body: IncomingBody) async -> TransferMetrics? {
    do throws(LupineError) { return try await body.end().metrics } catch { return error.metrics }
  }

  /// Ends the exchange whose response nobody waits for.
  func abandonExchange() {
    guard let control = state.withLock({ $0.control }) else { return }
    control.cancel(LupineError(.cancelled, "The response was not wanted any more."))
    close(control, status: nil, metrics: nil)
  }

  private func sendOnce(_ request: OutgoingRequest) async throws(LupineError) -> TransportResponse {
    await task.passGate()
    abandonExchange()
    try RequestRules.check(request, limits: session.configuration.limits)
    let request = withoutForeignCredentials(request)
    let progress = TransferControl.Progress(upload: task.upload, download: task.download)
    let control = TransferControl(now: session.clock.now, progress: progress)
    state.withLock { state in
      state.request = request
      state.control = control
      state.redirect = nil
    }
    try task.begin(control, request)
    task.emit(.sending(request.summary), attempt: number)
    do throws(LupineError) {
      let context = context(for: request, control: control) { [self] head in sink(for: head, request, control) }
      return try await session.send(request, in: context)
    } catch {
      close(control, status: nil, metrics: error.metrics)
      throw error.caused(by: control)
    }
  }

  private func close(_ control: TransferControl?, status: Int?, metrics: TransferMetrics?) {
    control?.finish()
    state.withLock { $0.control = nil }
    task.state.withLock { $0.endExchange(status: status, metrics: metrics) }
  }

  /// Describes the exchange to the transport.
  func context(
    for request: OutgoingRequest, control: TransferControl, sink: @escaping @Sendable (HTTPResponse) -> BodySink
  ) -> TransferContext {
    let configuration = session.configuration
    let timeouts = request.options.timeouts ?? configuration.timeouts
    var context = TransferContext(
      id: task.id, attempt: number, clock: configuration.clock, connectTimeout: timeouts.connect,
      limits: configuration.limits, identity: configuration.identity(for: request.url),
      evaluator: configuration.trustPolicy?.evaluator(for: request.url),
      proxyEvaluator: configuration.proxyEvaluator(for: request.url), connections: configuration.connections,
      control: control, executor: configuration.executor,
      events: { [task, number] kind in
        if case .informational(let head) = kind { task.tellInterim(head) }
        task.emit(kind, attempt: number)
      },
      sink: sink)
    context.cancelRequest = { [weak task] in task?.cancel() }
    return context
  }

  /// Describes the attempt to interceptors; a body that one of them makes is gathered as it stands.
  func context(forInterceptorsOf request: OutgoingRequest, control: TransferControl) -> TransferContext {
    let limit = session.configuration.limits.responseBody
    return context(for: request, control: control) { _ in .collect(limit: limit) }
  }

  private func sink(
    for head: HTTPResponse, _ request: OutgoingRequest, _ control: TransferControl
  ) -> BodySink {
    let configuration = session.configuration
    task.emit(.head(head), attempt: number)
    if control.source == .origin, decideRedirect(head, request) {
      return .discard(limit: configuration.limits.discardedBody)
    }
    let stages = configuration.contentCodings.decoders(for: head, limits: configuration.limits)
    do throws(LupineError) {
      let destination = try task.consumer.destination(for: head, to: request, limits: configuration.limits)
      if let decision = task.consumer.takeDecision() { task.emit(decision, attempt: number) }
      if case .discard = destination { return BodySink(destination) }
      let extent = task.consumer.extent(of: head)
      task.download.begin(base: extent.base, total: extent.total, now: session.clock.now())
      return BodySink(destination, stages: stages)
    } catch {
      return BodySink(.discard(limit: 0), stages: [FailingTransformer(error)])
    }
  }
}

extension ExchangeLoop {
  /// The request that a redirect or a challenge leads to; `nil` where this response is the answer.
  private func following(
    _ response: TransportResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> OutgoingRequest? {
    if let redirect = state.withLock({ $0.redirect }) { return try redirect.get() }
    if let next = try await answering(response, to: request) ?? task.consumer.following(request) { return next }
    return try await refreshing(request, after: response.head)
  }

  /// The request with the URL that the program gives in the place of one that is of no use any more.
  private func refreshing(
    _ request: OutgoingRequest, after head: HTTPResponse
  ) async throws(LupineError) -> OutgoingRequest? {
    guard let refresh = task.consumer.refreshing(after: head) else { return nil }
    var next = request
    do {
      let baseURL = session.baseURL
      next.url = try await task.interruptible { try await refresh().asURL(relativeTo: baseURL) }
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.other, "The closure that gives a fresh URL threw: \(error).", underlying: error)
    }
    if next.url.origin != request.url.origin {
      next.headers = session.configuration.secretFields.strip(next.headers)
      next.headers[.host] = nil
    }
    task.consumer.refreshed(next.url)
    let reason = "the URL had expired, with status \(head.status.code)"
    task.emit(.redirected(to: next.url.redacted, isFollowed: true, reason: reason), attempt: number)
    return next
  }

  /// Decides at a head whether its redirect is followed; true where the response's body is of no use.
  private func decideRedirect(_ head: HTTPResponse, _ request: OutgoingRequest) -> Bool {
    guard RedirectRules.isRedirect(head) else { return false }
    let redirector = task.state.withLock { $0.settings.redirector } ?? session.configuration.redirector
    let rules = RedirectRules(secrets: session.configuration.secretFields, limits: session.configuration.limits)
    let visited = state.withLock { state in
      state.visited.append(request.url)
      return state.visited
    }
    let decided: Result<OutgoingRequest, LupineError>?
    do throws(LupineError) {
      decided = redirector.decide(try rules.next(after: head, to: request, visited: visited), head).map { .success($0) }
    } catch {
      decided = redirector.follows ? .failure(error) : nil
    }
    task.emit(Self.event(decided, head, request), attempt: number)
    state.withLock { $0.redirect = decided }
    return decided != nil
  }

  private static func event(
    _ decided: Result<OutgoingRequest, LupineError>?, _ head: HTTPResponse, _ request: OutgoingRequest
  ) -> SessionEvent.Kind {
    let target = (try? request.url.resolving(location: head.headerFields[.location] ?? ""))?.redacted ?? "nowhere"
    return switch decided {
    case .success(let next):
      .redirected(to: next.url.redacted, isFollowed: true, reason: "status \(head.status.code)")
    case .failure(let error): .redirected(to: target, isFollowed: false, reason: error.message)
    case nil: .redirected(to: target, isFollowed: false, reason: "the redirector keeps it as the response")
    }
  }

  /// Why a challenge is not answered; `nil` where it may be.
  private func refusal(of request: OutgoingRequest) -> String? {
    if task.state.withLock({ $0.settings.credential }) == nil { return "the request has no credential" }
    let (hasAnswered, hasLeftOrigin) = state.withLock { ($0.hasAnswered, $0.hasLeftOrigin) }
    if hasAnswered { return "the credential was given already" }
    if hasLeftOrigin { return "a redirect led to another origin" }
    return request.body.isReplayable ? nil : "the body can be sent only once"
  }

  /// The request with the answer to a challenge; once, so that a wrong password ends with the 401.
  private func answering(
    _ response: TransportResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> OutgoingRequest? {
    guard response.head.status.code == 401, response.source == .origin else { return nil }
    if let refusal = refusal(of: request) {
      task.emit(.challenged(isAnswered: false, reason: refusal), attempt: number)
      return nil
    }
    guard let credential = task.state.withLock({ $0.settings.credential }) else { return nil }
    state.withLock { $0.hasAnswered = true }
    var next = request
    do {
      let schemes = session.configuration.schemes
      let head = response.head
      let value = try await task.interruptible { try await schemes.answer(head, with: credential, for: request) }
      guard let value else {
        task.emit(.challenged(isAnswered: false, reason: "no scheme fits the challenge"), attempt: number)
        return nil
      }
      task.emit(.challenged(isAnswered: true, reason: "status 401 and a credential"), attempt: number)
      next.headers[.authorization] = value
      return next
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.other, "An authentication scheme threw: \(error).", underlying: error)
    }
  }
}

extension LupineError {
  /// The reason the exchange was cancelled with, where it was; the transport says `cancelled` alone.
  fileprivate func caused(by control: TransferControl?) -> LupineError {
    guard let reason = control?.reason else { return self }
    return metrics.map { reason.measured($0) } ?? reason
  }
}
