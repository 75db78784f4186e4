import HTTPTypes
import LupineCore
import Synchronization

extension Pipeline {
  /// Runs the interceptors and the exchanges, and waits for the body.
  func exchange(
    _ request: OutgoingRequest, _ number: Int, through interceptors: [any Interceptor]
  ) async throws(LupineError) -> ReceivedResponse {
    do {
      return try await task.interruptible {
        let loop = ExchangeLoop(task, number)
        let control = ExchangeControl(now: session.clock.now)
        let context = loop.context(forInterceptorsOf: request, control: control)
        defer { task.state.withLock { $0.exchange.body = nil } }
        do {
          let response = try await Self.pass(request, interceptors[...], context) { next in
            task.takeTimeouts(of: next)
            loop.forgetRedirects()
            let response = try await loop.send(next)
            task.state.withLock { $0.exchange.body = response.body }
            loop.tellEnd(of: response)
            return response
          }
          return try await loop.receive(response, from: request, orOwn: control)
        } catch {
          loop.breakOffExchange()
          throw error
        }
      }
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.interceptionFailed, "An interceptor threw: \(error).", underlying: error)
    }
  }

  /// The session's interceptors, then the request's.
  var interceptors: [any Interceptor] {
    let own = task.state.withLock { $0.settings.interceptors }
    return own.isEmpty ? session.configuration.interceptors : session.configuration.interceptors + own
  }

  private static func pass(
    _ request: OutgoingRequest, _ interceptors: ArraySlice<any Interceptor>, _ context: TransferContext,
    _ last: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    guard let interceptor = interceptors.first else { return try await last(request) }
    return try await interceptor.intercept(request, context: context) { next in
      try await pass(next, interceptors.dropFirst(), context, last)
    }
  }
}

/// Receives responses that interceptors pass on or make.
extension ExchangeLoop {
  /// The context of the attempt for interceptors; a body that an interceptor makes is not decoded.
  ///
  /// A stream's reader receives such a body directly. For a download the body is stored first, because the interceptor
  /// may not return it.
  func context(forInterceptorsOf request: OutgoingRequest, control: ExchangeControl) -> TransferContext {
    let limits = configuration.limits
    let reader = task.handsOverAtHead ? task.consumer : nil
    var context = context(for: request, control: control)
    context.change { own in
      own.supervisor = ClosureSupervisor(events: { hear($0) }) { head in
        BodySink(
          (try? reader?.destination(for: head, to: request, limits: limits)) ?? .collect(limit: limits.responseBody))
      }
    }
    return context
  }

  /// Waits for the whole response that interceptors passed on or made.
  ///
  /// - Parameter control: controls a body that an interceptor made.
  func receive(
    _ response: TransportResponse, from request: OutgoingRequest, orOwn control: ExchangeControl
  ) async throws(LupineError) -> ReceivedResponse {
    let (sent, exchange) = task.state.withLock { ($0.sentInAttempt ?? request, $0.control) }
    if let exchange, exchange.carries(response.body) { return try await receive(response, exchange, to: request) }
    abandonExchange(for: response.body)
    task.consumer?.isBypassed()
    while try !task.begin(control, sent, for: nil, head: response.head) { abandonExchange(for: response.body) }
    let own = try await handedOn(response, to: sent, control)
    let received = try await receive(own, control, to: request)
    // The body of an interceptor was not received over the network; all of it is already available.
    let count = (task.consumer?.base(of: own.head) ?? 0) + (own.body.goodEnd?.byteCount ?? 0)
    task.download.withLock { $0.begin(base: count, length: 0, isAnswer: false, now: .zero) }
    return received
  }

  /// Passes a body that an interceptor made to the stream or download, without decoding.
  private func handedOn(
    _ response: TransportResponse, to request: OutgoingRequest, _ control: ExchangeControl
  ) async throws(LupineError) -> TransportResponse {
    guard let consumer = task.consumer else { return response }
    // A stream's reader receives the body directly.
    if task.handsOverAtHead, control.carries(response.body) { return response }
    do throws(LupineError) {
      let end = try await response.body.end()
      guard end.byteCount == end.data.count else { throw Self.bodyIsGone }
      var response = response
      response.body = try body(of: end, with: response, for: consumer, to: request, control)
      return response
    } catch {
      close(control, status: response.statusCode, metrics: error.metrics)
      throw error.caused(by: control)
    }
  }

  private func body(
    of end: BodyEnd, with response: TransportResponse, for consumer: any ResponseHandler, to request: OutgoingRequest,
    _ control: ExchangeControl
  ) throws(LupineError) -> ResponseBody {
    let destination = try consumer.destination(for: response.head, to: request, limits: configuration.limits)
    for decision in consumer.takeDecisions() { task.emit(decision, attempt: number) }
    return control.makeBody(BodySink(destination), of: end)
  }

  private static let bodyIsGone = LupineError(
    .interceptionFailed,
    "An interceptor answered with a body that has gone elsewhere, as that of an exchange before; answer with a body of its own, as by `ResponseBody.complete`."
  )
}
