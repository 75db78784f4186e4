import LupineCore

/// Sends an exchange several times if the request permits it.
struct HedgingLayer: Transport {
  let base: any Transport
  let hedging: Hedging

  var capabilities: TransportCapabilities { base.capabilities }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    guard hedging.limit > 0, request.isIdempotent, request.body.isReplayable else {
      return try await base.send(request, in: context)
    }
    return try await HedgedExchange(base, hedging, request, context).run()
  }

  func shutdown() async { await base.shutdown() }
}
