import Synchronization

/// Wraps or replaces the transports of the sessions that a task builds, as a test's trait does.
///
/// Within `wrapping(_:operation:)`, `Session.Builder.build()` passes the builder's transport to the closure. The result
/// takes the transport's place: its capabilities are checked, and the layers of the session are put around it. A
/// `WrappingTransport` has the capabilities of the transport that it wraps, and `MockTransport.imitating(_:)` has those of
/// the transport that it replaces.
///
/// `Session.default` of the umbrella is then another session, which the override makes at its first use and keeps. A
/// session that was built outside the override stays as it is. The override applies to the task that runs the operation and
/// to the tasks that it starts with `Task { }` or in a group; it does not apply to `Task.detached`, to queues of Dispatch and
/// to threads. Pass a session to code that would build one there.
public enum TransportOverride {
  /// The override that is in force in the current task.
  // For the umbrella, whose default session depends on it.
  @TaskLocal package static var scope: Scope?

  /// Returns the transport to use in place of a builder's; `nil` outside `wrapping(_:operation:)`.
  public static var wrap: (@Sendable (any Transport) -> any Transport)? { scope?.wrap }

  /// Runs an operation in which every session that the operation and its tasks build has the transport of the closure.
  ///
  /// In nested calls the inner closure wraps first, so that the outer one wraps its result. The operation runs in the
  /// calling task.
  ///
  /// - Parameter wrap: receives the builder's transport, once for each session, in the task that builds it.
  public static func wrapping<Value>(
    _ wrap: @escaping @Sendable (any Transport) -> any Transport, operation: () async throws -> Value
  ) async rethrows -> Value {
    let outer = Self.wrap
    let both: @Sendable (any Transport) -> any Transport = { transport in
      let inner = wrap(transport)
      return outer?(inner) ?? inner
    }
    return try await $scope.withValue(Scope(wrap: both), operation: operation)
  }

  /// One call of `wrapping(_:operation:)`.
  package final class Scope: Sendable {
    let wrap: @Sendable (any Transport) -> any Transport
    private let kept = Mutex<(any Sendable)?>(nil)

    init(wrap: @escaping @Sendable (any Transport) -> any Transport) { self.wrap = wrap }

    /// The default session of the override, once the umbrella has made it; Core does not know the type `Session`.
    package var value: (any Sendable)? { kept.withLock { $0 } }

    /// Keeps the value if there is none yet; returns the value that is kept.
    package func keep(_ value: any Sendable) -> any Sendable {
      kept.withLock { kept in
        if let kept { return kept }
        kept = value
        return value
      }
    }
  }
}
