/// A transport that keeps connections and can count them.
public protocol ConnectionPooling: Transport {
  /// Counts the connections of all sessions that use the transport; zeros once it was shut down.
  func connectionPool() async -> ConnectionPoolSnapshot
}
