/// A transport that keeps connections and can count them.
public protocol ConnectionPooling: Transport {
  /// Counts the connections of all sessions that use the transport; zeros once it was shut down.
  func connectionPool() async -> ConnectionPoolSnapshot
}

extension Session {
  /// Counts the connections of this session's transport, other sessions' that share it included.
  ///
  /// `nil` for a transport that keeps none, as a mock.
  public func connectionPool() async -> ConnectionPoolSnapshot? { await pooling?.connectionPool() }
}
