import LupineCore

/// What other threads ask of the loop, carried out in order.
enum Command: Sendable {
  case start(Submission)
  /// Ends an exchange; nothing happens where it is over.
  case cancel(UInt64)
  /// The sink of a response has room again.
  case receive(UInt64)
  /// The reader of a request's body has bytes again.
  case provide(UInt64)
  /// A host's name has been looked up for an exchange, or was not in time.
  case resolved(UInt64, HostLookups.Outcome)
  /// Counts the connections.
  case count(UnsafeContinuation<ConnectionPoolSnapshot, Never>)
  /// Ends all exchanges and the loop.
  case stop
  /// Ends the loop after the last exchange.
  case letGo
}
