import HTTPTypes
import LupineCore
import Synchronization

/// Ends exchanges whose responses lead, or may lead, to other requests.
extension ExchangeLoop {
  /// Reports the end of a body when it arrives.
  ///
  /// The decision about the next exchange may take long, for example if a person enters a password. That time is not
  /// part of this exchange.
  func tellEnd(of response: TransportResponse) {
    guard task.isObserved, let control = task.state.withLock({ $0.control }) else { return }
    response.body.onEnd { end in
      guard case .success(let end) = end, task.state.withLock({ $0.tells(control) }) else { return }
      tell(end)
    }
  }

  /// Waits for the end of a body before code that may take long; does not change the end.
  ///
  /// - Throws: the reason why the request or its attempt was ended meanwhile.
  func awaitEnd(of response: TransportResponse) async throws(LupineError) {
    _ = try? await response.body.end()
    if let ended = task.state.withLock({ $0.cancellation ?? $0.attemptEnd }) { throw ended }
  }

  func tell(_ end: BodyEnd) {
    if let trailers = end.trailers { task.emit(.trailers(trailers), attempt: number) }
    task.emit(.received(bytes: end.byteCount, end.metrics), attempt: number)
  }

  /// Ends an exchange whose response has led to another request, once its body has ended.
  func leave(_ response: TransportResponse) async {
    let control = task.state.withLock { $0.control }
    response.body.open(.discard(limit: configuration.limits.discardedBody))
    let metrics: TransferMetrics?
    do throws(LupineError) {
      let end = try await response.body.end()
      if task.isObserved, task.state.withLock({ $0.tells(control) }) { tell(end) }
      metrics = end.metrics
    } catch {
      // If the request or its attempt was ended, the attempt reports the error.
      let isOwn = task.state.withLock { $0.cancellation == nil && $0.attemptEnd == nil }
      if isOwn, task.isObserved, task.state.withLock({ $0.tells(control) }) {
        task.emit(.failed(error.caused(by: control)), attempt: number)
      }
      metrics = error.metrics
    }
    close(control, status: response.statusCode, metrics: metrics)
  }
}

/// Ends an exchange that an interceptor or a scheme abandons.
extension ExchangeLoop {
  /// Ends the exchange that interceptors abandoned, without waiting for its transport; keeps the metrics known so far.
  func breakOffExchange() async {
    let (control, body) = task.state.withLock { ($0.control, $0.exchange.body) }
    guard let control, let body, control.carries(body) else { return await abandonExchange() }
    if task.handler != nil { await body.flush() }
    control.cancel(Self.unwanted)
    close(control, status: nil, metrics: body.metricsAtEnd ?? body.exchange.cost)
  }

  /// Ends an exchange whose response is not needed; keeps its metrics if its body has already ended.
  ///
  /// - Parameters:
  ///   - body: the body of the response; `nil` means the body that the interceptors received.
  ///   - own: the replacement body that an interceptor made; if it has the same metrics, they are not counted twice.
  func abandonExchange(_ body: ResponseBody? = nil, for own: ResponseBody? = nil) async {
    guard let control = task.state.withLock({ $0.control }) else { return }
    let abandoned = (body ?? task.state.withLock { $0.exchange.body }).flatMap { control.carries($0) ? $0 : nil }
    if task.handler != nil { await abandoned?.flush() }
    let metrics = abandoned?.metricsAtEnd
    control.cancel(Self.unwanted)
    close(control, status: nil, metrics: metrics == own?.metricsAtEnd ? nil : metrics)
  }

  private static let unwanted = LupineError(.cancelled, "The response was not wanted any more.")
}
