import HTTPTypes
import LupineCore
import LupineSession

/// Asks a circuit breaker for admission before each exchange, and reports the result of the exchange.
struct CircuitBreakerLayer: Transport {
  let base: any Transport
  let breaker: CircuitBreaker

  var capabilities: TransportCapabilities { base.capabilities }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let origin = request.url.origin
    let pass = try breaker.admit(origin, context)
    do throws(LupineError) {
      let response = try await base.send(request, in: context)
      guard !breaker.isFailure(response.head.status.code) else {
        breaker.record(false, pass, origin, context)
        return response
      }
      // A stream may last for hours; the head is enough to judge a probe.
      guard !pass.isProbe else {
        breaker.record(true, pass, origin, context)
        return response
      }
      response.body.onEnd { [breaker] end in
        breaker.record(Self.verdict(end, context), pass, origin, context)
      }
      return response
    } catch {
      breaker.record(Self.verdict(.failure(error), context), pass, origin, context)
      throw error
    }
  }

  func shutdown() async { await base.shutdown() }

  /// Whether the exchange succeeded; `nil` if its end does not show the state of the server.
  private static func verdict(_ end: Result<BodyEnd, LupineError>, _ context: TransferContext) -> Bool? {
    guard case .failure(let error) = end else { return true }
    // A transport reports only `cancelled`; the control knows whether a timeout was the reason.
    let kind = (context.control.reason ?? error).kind
    return failures.contains(kind) ? false : nil
  }

  private static let failures = RetryPolicy.defaultErrors.union([.timedOut(.total), .malformedResponse, .proxyFailed])
}
