extension Session {
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

/// A running request of any kind.
public struct RunningRequest: SessionRequest {
  /// The execution, which all copies share.
  public let execution: RequestExecution

  init(_ execution: RequestExecution) { self.execution = execution }
}
