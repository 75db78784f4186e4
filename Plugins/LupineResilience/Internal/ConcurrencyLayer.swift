import LupineCore

/// Makes each exchange wait for a place, and frees the place when the exchange ends.
struct ConcurrencyLayer: Transport {
  let base: any Transport
  let limiter: ConcurrencyLimiter

  var capabilities: TransportCapabilities { base.capabilities }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let origin = request.url.origin
    try await limiter.enter(origin, context)
    do throws(LupineError) {
      let response = try await base.send(request, in: context)
      response.body.onEnd { [limiter] _ in limiter.leave(origin) }
      return response
    } catch {
      limiter.leave(origin)
      throw error
    }
  }

  func shutdown() async { await base.shutdown() }
}
