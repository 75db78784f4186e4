public import LupineCore

extension MockTransport {
  /// Returns a transport that answers with this mock and states the capabilities of another transport.
  ///
  /// Use it in a `TransportOverride` for sessions that need capabilities which the mock lacks, such as client
  /// certificates. The mock makes no connection, so these settings have no effect.
  ///
  /// ```swift
  /// try await TransportOverride.wrapping({ mock.imitating($0) }) {
  ///   // Sessions that are built here are answered by the mock.
  ///   let session = try Session.Builder().transport(.native).tlsVersions(minimum: .tls1_3).build()
  ///   print(session)
  /// }
  /// ```
  public func imitating(_ transport: any Transport) -> any WrappingTransport {
    ImitatingTransport(base: self, capabilities: capabilities.union(transport.capabilities.subtracting(.networking)))
  }
}

/// A mock with the capabilities of another transport; like the mock, it makes no connections.
private struct ImitatingTransport: WrappingTransport {
  let base: any Transport
  let capabilities: TransportCapabilities
}
