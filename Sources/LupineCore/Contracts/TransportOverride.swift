/// Wraps or replaces the transports of the sessions that a task builds, as a test's trait does.
///
/// `Session.Builder.build()` passes the builder's transport to `wrap` of the running task. The result takes the
/// transport's place: its capabilities are checked, and the layers of the session are put around it. The default session
/// of the umbrella is never affected, because all tasks of a process share it.
public enum TransportOverride {
  /// Returns the transport to use in place of a builder's; `nil` changes nothing.
  ///
  /// `Session.Builder.build()` calls it once for each session, before it returns. A transport that wraps another one forwards the requirements of `Transport`
  /// that it does not answer itself.
  ///
  /// Setting it hides the override of an enclosing scope; `wrapping(_:operation:)` keeps that one.
  @TaskLocal public static var wrap: (@Sendable (any Transport) -> any Transport)?

  /// Runs an operation in which `wrap` applies to every session that the operation and its tasks build.
  ///
  /// In nested calls the inner closure wraps first, so that the outer one wraps its result. The operation runs in the
  /// calling task.
  public static func wrapping<Value>(
    _ wrap: @escaping @Sendable (any Transport) -> any Transport, operation: () async throws -> Value
  ) async rethrows -> Value {
    let outer = Self.wrap
    let both: @Sendable (any Transport) -> any Transport = { transport in
      let inner = wrap(transport)
      return outer?(inner) ?? inner
    }
    return try await $wrap.withValue(both, operation: operation)
  }
}
