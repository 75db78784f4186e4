extension Session {
  /// The deadlines that enclosing `withDeadline` calls have set for the current task.
  @TaskLocal static var deadlines: [any InstantProtocol<Duration>] = []

  /// Sets a deadline for every request that is made in the operation and in the tasks it starts, of whatever session.
  ///
  /// A server sets it once for all requests of a call that it answers. Each request ends at the instant with kind
  /// `timedOut(.total)`, as by `SessionRequest.deadline(_:)`; of several deadlines, and beside a total timeout, the earliest
  /// counts. The operation itself is not ended. A credential that `AuthenticationInterceptor` refreshes serves other calls,
  /// too: its refresh does not keep to the deadline.
  ///
  /// - Parameters:
  ///   - instant: the deadline, of a session's clock or of one of the system's, such as `ContinuousClock`.
  ///   - operation: what makes the requests.
  public static func withDeadline<Value>(
    _ instant: some InstantProtocol<Duration>, operation: () async throws -> Value
  ) async rethrows -> Value {
    try await $deadlines.withValue(deadlines + [instant], operation: operation)
  }
}
