package import LupineCore

/// Stands in for a transport that is not there: every request fails with the reason.
struct FailingTransport: Transport {
  let reason: LupineError

  var capabilities: TransportCapabilities { [] }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    throw reason
  }

  func shutdown() async {}
}

extension Session {
  /// A session that could not be built: it makes requests, and each fails with the reason.
  package static func failing(with reason: LupineError) -> Session {
    let transport = FailingTransport(reason: reason)
    return Session(SessionConfiguration(), transport: transport, base: transport)
  }
}
