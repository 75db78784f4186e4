import HTTPTypes
import LupineCore
import Synchronization

extension Attempt {
  /// Runs the interceptors and the exchanges, and waits for the body.
  mutating func exchange(
    _ request: OutgoingRequest, through interceptors: [any Interceptor]
  ) async throws(LupineError) -> ReceivedResponse {
    do {
      let (result, attempt) = try await execution.interruptible { [attempt = self] in
        var attempt = attempt
        let result = await attempt.result(of: request, through: interceptors)
        return (result, attempt)
      }
      self = attempt
      return try result.get()
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.interceptionFailed, "An interceptor threw: \(error).", underlying: error)
    }
  }

  private mutating func result(
    of request: OutgoingRequest, through interceptors: [any Interceptor]
  ) async -> Result<ReceivedResponse, any Error> {
    let control = ExchangeControl(now: session.clock.now)
    let context = context(forInterceptorsOf: request, control: control)
    defer { body = nil }
    do {
      let response = try await Self.pass(request, interceptors[...], context) { next in
        execution.timeLimits.change(by: next)
        redirects = Redirects()
        authentication.returnToOrigin()
        let answer = try await send(next)
        body = answer.response.body
        acceptsLongBody = answer.acceptsLongBody
        exchange.reportEnd(of: answer.response)
        return answer.response
      }
      return .success(try await receiveIntercepted(response, from: request, orOwn: control))
    } catch {
      await exchange.abandon(body)
      return .failure(error)
    }
  }

  /// The session's interceptors, then the request's.
  var interceptors: [any Interceptor] {
    let own = execution.state.withLock { $0.settings.interceptors }
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
extension Attempt {
  /// The context of the attempt for interceptors.
  ///
  /// It is a branch: it emits the attempt's events, and its bytes do not count as progress.
  mutating func context(forInterceptorsOf request: OutgoingRequest, control: ExchangeControl) -> TransferContext {
    context(for: request, control: ExchangeControl(now: session.clock.now, for: execution)).branch(control)
  }

  /// Waits for the whole response that interceptors passed on or made.
  ///
  /// - Parameter control: controls a body that an interceptor made.
  private mutating func receiveIntercepted(
    _ response: TransportResponse, from request: OutgoingRequest, orOwn control: ExchangeControl
  ) async throws(LupineError) -> ReceivedResponse {
    let running = exchange
    if let exchange = running.control, exchange.owns(response.body) {
      return try await receive(
        FinalResponse(response: response, acceptsLongBody: acceptsLongBody), of: running, to: request)
    }
    let sent = execution.state.withLock { $0.sentInAttempt } ?? request
    await running.abandon(body, for: response.body)
    while try !execution.begin(control, sent, for: nil, head: response.head) {
      await exchange.abandon(body, for: response.body)
    }
    let own = RunningExchange(execution, attempt: number, control)
    return try await receive(try await handedOn(response, to: sent, own), of: own, to: request)
  }

  /// Passes a body that an interceptor made to its destination, without decoding.
  ///
  /// The progress of such a body begins at its end, because the body does not come from the network.
  private func handedOn(
    _ response: TransportResponse, to request: OutgoingRequest, _ own: RunningExchange
  ) async throws(LupineError) -> FinalResponse {
    do throws(LupineError) {
      var decision = ResponseDecision(.receive(.collect(limit: configuration.limits.responseBody), offset: 0))
      if let handler = execution.handler {
        decision = try await handler.decide(response, to: request, in: session)
        for event in decision.events { emit(event) }
      }
      guard case .receive(let sink, let offset) = decision.step else { throw Self.cannotContinue }
      var answer = FinalResponse(response: response, acceptsLongBody: decision.acceptsLongBody)
      if let control = own.control {
        if control.owns(response.body) {
          response.body.open(sink)
        } else if execution.handler != nil {
          answer.response = try await copied(response, into: sink, control)
        }
      }
      // The body of a stream ends later, when its reader has taken the last byte.
      if execution.handsOverAtHead { return answer }
      let end = try await self.end(of: answer)
      execution.progress.report(of: .download) {
        $0.begin(base: offset + end.byteCount, length: 0, isAnswer: false, now: .zero)
      }
      return answer
    } catch {
      throw own.fail(error, status: response.statusCode)
    }
  }

  /// Copies a complete body to its sink.
  private func copied(
    _ response: TransportResponse, into sink: BodySink, _ control: ExchangeControl
  ) async throws(LupineError) -> TransportResponse {
    let end = try await response.body.end()
    guard end.byteCount == end.data.count else { throw Self.bodyIsGone }
    var response = response
    response.body = control.makeBody(sink, of: end)
    return response
  }

  private static let cannotContinue = LupineError(
    .interceptionFailed, "An interceptor returned another part of the file than the requested one.")

  private static let bodyIsGone = LupineError(
    .interceptionFailed,
    "An interceptor returned a body that already had a destination, such as that of an earlier exchange; return a "
      + "new body, for example with `ResponseBody.complete`.")
}
