import HTTPTypes
import LupineCore
import Synchronization

/// The ends of exchanges whose responses lead, or may lead, to others.
extension ExchangeLoop {
  /// The request that a response leads to, whose exchange has ended then; `nil` where the response is the answer.
  ///
  /// - Parameters:
  ///   - sent: what was sent.
  ///   - request: the same without what was added for this exchange alone.
  func next(
    after response: TransportResponse, to sent: OutgoingRequest, for request: OutgoingRequest
  ) async throws(LupineError) -> OutgoingRequest? {
    let next: OutgoingRequest?
    do throws(LupineError) {
      try tellSchemes(response, to: sent)
      keepCookies(of: response, to: sent)
      next = mayLeadOn(response) ? try await requestAfter(response, to: request) : nil
    } catch {
      task.state.withLock { $0.accept(response.head) }
      abandonExchange(response.body)
      throw error
    }
    guard let next else { return nil }
    await leave(response)
    let isElsewhere = next.url.origin != request.url.origin
    task.state.withLock { state in
      if isElsewhere || state.exchange.redirect != nil { state.exchange.follow(from: request.url, to: next.url) }
    }
    return next
  }

  /// The request that a response leads to, as `following` says; the end of its body is told when it comes.
  func requestAfter(
    _ response: TransportResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> OutgoingRequest? {
    tellEnd(of: response)
    return try await following(response, to: request)
  }

  /// Has the end of a body told when it comes: who decides whether another exchange follows, such as a person who is asked
  /// for a password, may take long, and that time is none of this exchange's.
  func tellEnd(of response: TransportResponse) {
    guard task.isObserved, let control = task.state.withLock({ $0.control }) else { return }
    response.body.onEnd { end in
      guard case .success(let end) = end, task.state.withLock({ $0.tells(control) }) else { return }
      tell(end)
    }
  }

  /// Waits for the end of a body before somebody is asked who may take long, and leaves the end as it is.
  ///
  /// A body that is handed on at its head waits for its reader, and nobody for it.
  ///
  /// - Throws: the reason why the request, or its attempt, has been ended meanwhile: then nobody is to be asked.
  func awaitEnd(of response: TransportResponse) async throws(LupineError) {
    if !task.handsOverAtHead { _ = try? await response.body.end() }
    if let ended = task.state.withLock({ $0.cancellation ?? $0.attemptEnd }) { throw ended }
  }

  func tell(_ end: BodyEnd) {
    if let trailers = end.trailers { task.emit(.trailers(trailers), attempt: number) }
    task.emit(.received(bytes: end.byteCount, end.metrics), attempt: number)
  }

  /// Ends an exchange whose response has led to another, once its body has come to its end.
  func leave(_ response: TransportResponse) async {
    let control = task.state.withLock { $0.control }
    let isGivenUp = task.handsOverAtHead ? await drop(response.body, control) : false
    let metrics: TransferMetrics?
    do throws(LupineError) {
      let end = try await response.body.end()
      if task.isObserved, task.state.withLock({ $0.tells(control) }) { tell(end) }
      metrics = end.metrics
    } catch {
      // Of a request that was ended the attempt tells.
      let isOwn = isGivenUp || control?.reason == nil
      if isOwn, task.isObserved, task.state.withLock({ $0.tells(control) }) {
        task.emit(.failed(error.caused(by: control)), attempt: number)
      }
      metrics = error.metrics
    }
    close(control, status: response.statusCode, metrics: metrics)
  }

  /// Takes what was to be handed on, which would wait for its reader; no more of it than of other bodies that nobody
  /// wants: true where it was given up.
  private func drop(_ body: ResponseBody, _ control: ExchangeControl?) async -> Bool {
    var left = configuration.limits.discardedBody
    while left >= 0, let piece = try? await body.next() { left -= Int64(piece.count) }
    guard left < 0 else { return false }
    control?.cancel(LupineError(.cancelled, "The page that came before the answer was too long to be waited for."))
    body.abandon()
    return true
  }
}

/// What becomes of an exchange that an interceptor or a scheme gives up.
extension ExchangeLoop {
  /// Ends the exchange that interceptors have broken off, without waiting for its transport; what it cost counts as far as
  /// it is known on this side.
  func breakOffExchange() {
    let (control, body) = task.state.withLock { ($0.control, $0.exchange.body) }
    guard let control, let body, control.carries(body) else { return abandonExchange() }
    control.cancel(Self.unwanted)
    close(control, status: nil, metrics: body.metricsAtEnd ?? body.exchange.cost)
  }

  /// Ends the exchange whose response nobody waits for; what it cost counts where its body has ended by itself.
  ///
  /// - Parameters:
  ///   - body: its body; `nil` means that which interceptors were given.
  ///   - own: the body that an interceptor made in its place, with what it cost, too, where the interceptor passed that on.
  func abandonExchange(_ body: ResponseBody? = nil, for own: ResponseBody? = nil) {
    guard let control = task.state.withLock({ $0.control }) else { return }
    let metrics = (body ?? task.state.withLock { $0.exchange.body }).flatMap {
      control.carries($0) ? $0.metricsAtEnd : nil
    }
    control.cancel(Self.unwanted)
    close(control, status: nil, metrics: metrics == own?.metricsAtEnd ? nil : metrics)
  }

  private static let unwanted = LupineError(.cancelled, "The response was not wanted any more.")
}
