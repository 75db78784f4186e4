import Lupine

/// The name of the server that has answered.
enum ServerName: ResponseAttributeKey {
  typealias Value = String
}

/// The smallest useful layer: it states the server of each response.
struct ServerLayer: ExchangeLayer {
  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    var response = try await next(request, in: context)
    response.attributes[ServerName.self] = response.head.headerFields[.server]
    return response
  }
}
