package import LupineCore

/// A transport that fails every request with the given error.
struct FailingTransport: Transport {
  let reason: LupineError

  var capabilities: TransportCapabilities { [] }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    throw reason
  }

  func shutdown() async {}
}

extension Session {
  /// A session that fails every request with the given error.
  package static func failing(with reason: LupineError) -> Session {
    let transport = FailingTransport(reason: reason)
    return Session(SessionConfiguration(), transport: transport, base: transport)
  }
}
