import LupineCore

/// A command from another thread to the loop, which executes commands in order.
enum Command: Sendable {
  case start(Submission)
  /// Ends an exchange; no effect if the exchange has ended.
  case cancel(UInt64)
  /// Continues to receive, because the sink of a response has room again.
  case receive(UInt64)
  /// Continues to send, because the reader of a request's body has bytes again.
  case provide(UInt64)
  /// Passes on the result of a name lookup, or its timeout.
  case resolved(UInt64, HostLookups.Outcome)
  /// Counts the connections.
  case count(UnsafeContinuation<ConnectionPoolSnapshot, Never>)
  /// Ends all exchanges and the loop.
  case stop
  /// Ends the loop after the last exchange.
  case letGo
}
