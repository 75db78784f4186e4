import HTTPTypes
import LupineCore
import LupineSession

/// Asks a circuit breaker before each exchange and tells it how the exchange ended.
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
      // A stream may last for hours: a probe has told by its head what it was sent to find out.
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

  /// Whether the exchange went well; `nil` where its end says nothing about the server.
  private static func verdict(_ end: Result<BodyEnd, LupineError>, _ context: TransferContext) -> Bool? {
    guard case .failure(let error) = end else { return true }
    // A transport says "cancelled" alone; the control knows whether a timeout was the reason.
    let kind = (context.control.reason ?? error).kind
    return failures.contains(kind) ? false : nil
  }

  private static let failures = RetryPolicy.defaultErrors.union([.timedOut(.total), .malformedResponse, .proxyFailed])
}
