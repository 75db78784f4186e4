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
            let answer = try await loop.send(next)
            task.state.withLock { state in
              state.exchange.body = answer.response.body
              state.exchange.acceptsLongBody = answer.acceptsLongBody
            }
            loop.tellEnd(of: answer.response)
            return answer.response
          }
          return try await loop.receive(response, from: request, orOwn: control)
        } catch {
          await loop.breakOffExchange()
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
  /// The context of the attempt for interceptors.
  func context(forInterceptorsOf request: OutgoingRequest, control: ExchangeControl) -> TransferContext {
    var context = context(for: request, control: control)
    context.change { $0.supervisor = ClosureSupervisor(events: { hear($0) }) }
    return context
  }

  /// Waits for the whole response that interceptors passed on or made.
  ///
  /// - Parameter control: controls a body that an interceptor made.
  func receive(
    _ response: TransportResponse, from request: OutgoingRequest, orOwn control: ExchangeControl
  ) async throws(LupineError) -> ReceivedResponse {
    let (sent, exchange, acceptsLongBody) = task.state.withLock {
      ($0.sentInAttempt ?? request, $0.control, $0.exchange.acceptsLongBody)
    }
    if let exchange, exchange.carries(response.body) {
      return try await receive(
        FinalResponse(response: response, acceptsLongBody: acceptsLongBody), exchange, to: request)
    }
    await abandonExchange(for: response.body)
    while try !task.begin(control, sent, for: nil, head: response.head) { await abandonExchange(for: response.body) }
    let own = try await handedOn(response, to: sent, control)
    return try await receive(own, control, to: request)
  }

  /// Passes a body that an interceptor made to its destination, without decoding.
  ///
  /// The progress of such a body begins at its end, because the body does not come from the network.
  private func handedOn(
    _ response: TransportResponse, to request: OutgoingRequest, _ control: ExchangeControl
  ) async throws(LupineError) -> FinalResponse {
    do throws(LupineError) {
      var decision = ResponseDecision(.receive(.collect(limit: configuration.limits.responseBody), offset: 0))
      if let handler = task.handler {
        decision = try await handler.decide(response, to: request, in: session.decisionSettings)
        for event in decision.events { task.emit(event, attempt: number) }
      }
      guard case .receive(let destination, let offset) = decision.step else { throw Self.cannotContinue }
      var answer = FinalResponse(response: response, acceptsLongBody: decision.acceptsLongBody)
      if control.carries(response.body) {
        response.body.open(BodySink(destination))
      } else if task.handler != nil {
        answer.response = try await copied(response, into: destination, control)
      }
      // A stream ends when its reader has taken it.
      if task.handsOverAtHead { return answer }
      let end = try await self.end(of: answer)
      task.download.withLock { $0.begin(base: offset + end.byteCount, length: 0, isAnswer: false, now: .zero) }
      return answer
    } catch {
      close(control, status: response.statusCode, metrics: error.metrics)
      throw error.caused(by: control)
    }
  }

  /// Copies a complete body to its destination.
  private func copied(
    _ response: TransportResponse, into destination: BodySink.Destination, _ control: ExchangeControl
  ) async throws(LupineError) -> TransportResponse {
    let end = try await response.body.end()
    guard end.byteCount == end.data.count else { throw Self.bodyIsGone }
    var response = response
    response.body = control.makeBody(BodySink(destination), of: end)
    return response
  }

  private static let cannotContinue = LupineError(
    .interceptionFailed, "An interceptor answered with a part of a file that is not the one that was asked for.")

  private static let bodyIsGone = LupineError(
    .interceptionFailed,
    "An interceptor answered with a body that has gone elsewhere, as that of an exchange before; answer with a body of its own, as by `ResponseBody.complete`."
  )
}
