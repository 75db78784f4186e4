public import LupineCore

/// A running request of any kind.
public struct RunningRequest: SessionRequest {
  /// The execution, which all copies share.
  public let handle: RequestHandle

  init(_ task: RequestExecution) { handle = RequestHandle(task: task) }
}

extension Session {
  /// Counts the connections of the session's transport, including those of other sessions that share it.
  ///
  /// `nil` if the transport has no connection pool, such as a mock.
  public func connectionPool() async -> ConnectionPoolSnapshot? { await pooling?.connectionPool() }

  /// Calls the closure with every request that has started and not ended, in the order of creation.
  ///
  /// Requests may start and end while the closure runs.
  public func withAllRequests<Value>(_ body: ([RunningRequest]) throws -> Value) rethrows -> Value {
    try body(registry.running.map { RunningRequest($0) })
  }

  /// Cancels every running request; new requests are still accepted.
  ///
  /// Each request ends with kind `cancelled` and its handlers are called. `finishRequests()` waits for the handlers.
  public func cancelAllRequests() {
    for task in registry.running { task.cancel() }
  }
}
