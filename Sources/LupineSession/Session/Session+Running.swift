public import LupineCore

/// A request that is under way, of whatever kind.
public struct RunningRequest: SessionRequest {
  /// The execution that the copies share.
  public let handle: RequestHandle

  init(_ task: RequestExecution) { handle = RequestHandle(task: task) }
}

extension Session {
  /// Counts the connections of this session's transport, other sessions' that share it included.
  ///
  /// `nil` for a transport that keeps none, as a mock.
  public func connectionPool() async -> ConnectionPoolSnapshot? { await pooling?.connectionPool() }

  /// Calls the closure with every request that has started and not ended, in the order of their making.
  ///
  /// They may end while the closure looks at them, and others may start.
  public func withAllRequests<Value>(_ body: ([RunningRequest]) throws -> Value) rethrows -> Value {
    try body(registry.running.filter { !$0.isPart }.map { RunningRequest($0) })
  }

  /// Cancels every request that is running; new ones may be made.
  ///
  /// Each ends with kind `cancelled`, and its handlers are called; `finishRequests()` waits for that.
  public func cancelAllRequests() {
    for task in registry.running { task.cancel() }
  }
}
