import LupineCore

/// Has each exchange wait for its place, and gives the place back at its end.
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
