import HTTPTypes
import Synchronization

/// The exchanges of one attempt: the request, then whatever redirects and challenges lead to.
final class ExchangeLoop: Sendable {
  private struct State {
    var request: OutgoingRequest?
    var control: TransferControl?
    var hasAnswered = false
    var redirects = 0
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

  /// Sends the request and waits for the whole response.
  func receive(_ request: OutgoingRequest) async throws(LupineError) -> ReceivedResponse {
    let response = try await send(request)
    return try await receive(response, to: request)
  }

  /// Waits for the whole of a response that an interceptor has passed on.
  func receive(_ response: TransportResponse) async throws(LupineError) -> ReceivedResponse {
    let request = state.withLock { $0.request }
    guard let request = request ?? (try? task.description.get()) else {
      throw LupineError(.interceptionFailed, "An interceptor answered a request that does not exist.")
    }
    return try await receive(response, to: request)
  }

  private func receive(
    _ response: TransportResponse, to fallback: OutgoingRequest
  ) async throws(LupineError) -> ReceivedResponse {
    let (sent, control) = state.withLock { ($0.request, $0.control) }
    defer { close(control, status: response.head.status.code) }
    do throws(LupineError) {
      let end = try await response.body.end()
      task.emit(.received(bytes: end.byteCount, end.metrics), attempt: number)
      return ReceivedResponse(
        request: sent ?? fallback, head: response.head, data: end.data, trailers: end.trailers, metrics: end.metrics)
    } catch {
      throw error.caused(by: control).about(response.head)
    }
  }

  /// Makes exchanges until one is neither redirected nor challenged; returns at its head.
  func send(_ request: OutgoingRequest) async throws(LupineError) -> TransportResponse {
    var request = request
    while true {
      let response = try await sendOnce(request)
      guard let next = try await following(response, to: request) else { return response }
      _ = try? await response.body.end()
      close(state.withLock { $0.control }, status: response.head.status.code)
      request = next
    }
  }

  private func sendOnce(_ request: OutgoingRequest) async throws(LupineError) -> TransportResponse {
    let progress = TransferControl.Progress(upload: task.upload, download: task.download)
    let control = TransferControl(now: session.clock.now, progress: progress)
    state.withLock { state in
      state.request = request
      state.control = control
      state.redirect = nil
    }
    if let ended = task.state.withLock({ $0.begin(control, request) }) { throw ended }
    do throws(LupineError) {
      return try await session.send(request, in: context(for: request, control: control))
    } catch {
      close(control, status: nil)
      throw error.caused(by: control)
    }
  }

  private func close(_ control: TransferControl?, status: Int?) {
    control?.finish()
    task.state.withLock { $0.endExchange(status: status) }
  }

  /// Describes the exchange to the transport.
  func context(for request: OutgoingRequest, control: TransferControl) -> TransferContext {
    let configuration = session.configuration
    let timeouts = request.options.timeouts ?? configuration.timeouts
    return TransferContext(
      id: task.id, attempt: number, clock: configuration.clock, connectTimeout: timeouts.connect,
      limits: configuration.limits, identity: configuration.identity,
      evaluator: configuration.trustPolicy?.evaluator(for: request.url),
      control: control, events: { [task, number] in task.emit($0, attempt: number) },
      sink: { [self] head in sink(for: head, request) })
  }

  private func sink(for head: HTTPResponse, _ request: OutgoingRequest) -> BodySink {
    let configuration = session.configuration
    if !configuration.monitors.isEmpty {
      task.emit(.head(head.redacted(configuration.secretFields)), attempt: number)
    }
    if decideRedirect(head, request) { return .discard(limit: configuration.limits.discardedBody) }
    let stages = configuration.contentCodings.decoders(for: head, limits: configuration.limits)
    do throws(LupineError) {
      let destination = try task.consumer.destination(for: head, to: request, limits: configuration.limits)
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
    return try await answering(response, to: request) ?? task.consumer.following(request)
  }

  /// Decides at a head whether its redirect is followed; true where the response's body is of no use.
  private func decideRedirect(_ head: HTTPResponse, _ request: OutgoingRequest) -> Bool {
    guard RedirectRules.isRedirect(head) else { return false }
    let redirector = task.state.withLock { $0.settings.redirector } ?? session.configuration.redirector
    let rules = RedirectRules(secrets: session.configuration.secretFields, limits: session.configuration.limits)
    let count = state.withLock { $0.redirects }
    let decided: Result<OutgoingRequest, LupineError>?
    do throws(LupineError) {
      decided = redirector.decide(try rules.next(after: head, to: request, count: count), head).map { .success($0) }
    } catch {
      decided = redirector.follows ? .failure(error) : nil
    }
    task.emit(
      .redirected(to: describe(decided), isFollowed: decided != nil, reason: "status \(head.status.code)"),
      attempt: number)
    state.withLock { state in
      state.redirect = decided
      state.redirects += 1
    }
    return decided != nil
  }

  private func describe(_ decided: Result<OutgoingRequest, LupineError>?) -> String {
    switch decided {
    case .success(let next): next.url.redacted
    case .failure(let error): error.message
    case nil: "nowhere"
    }
  }

  private func isAnswerable(_ head: HTTPResponse) -> Bool {
    head.status.code == 401 && !state.withLock { $0.hasAnswered }
      && task.state.withLock { $0.settings.credential } != nil
  }

  /// The request with the answer to a challenge; once, so that a wrong password ends with the 401.
  private func answering(
    _ response: TransportResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> OutgoingRequest? {
    guard isAnswerable(response.head), request.body.isReplayable,
      let credential = task.state.withLock({ $0.settings.credential })
    else { return nil }
    state.withLock { $0.hasAnswered = true }
    var next = request
    do {
      let schemes = session.configuration.schemes
      let head = response.head
      let value = try await task.interruptible { try await schemes.answer(head, with: credential, for: request) }
      guard let value else { return nil }
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
