import LupineCore

/// Makes each exchange wait for its turn.
struct RateLayer: Transport {
  let base: any Transport
  let limiter: RateLimiter

  var capabilities: TransportCapabilities { base.capabilities }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    try await limiter.turn(request.url.origin, context)
    return try await base.send(request, in: context)
  }

  func shutdown() async { await base.shutdown() }
}
