/// Receives the events of a session.
///
/// A session calls a monitor on the thread where the event happens, which may be a thread of the transport. The monitor
/// must be quick and must not block. The events of one request arrive in order; events of different requests arrive
/// concurrently.
public protocol EventMonitor: Sendable {
  /// Receives one event.
  func receive(_ event: SessionEvent)
}

extension EventMonitor where Self == ClosureEventMonitor {
  /// A monitor that calls a closure, on the thread where the event happens; see `EventMonitor`.
  public static func custom(_ receive: @escaping @Sendable (SessionEvent) -> Void) -> ClosureEventMonitor {
    ClosureEventMonitor(receive)
  }
}

/// A monitor that calls a closure.
public struct ClosureEventMonitor: EventMonitor {
  private let handler: @Sendable (SessionEvent) -> Void

  /// Wraps a closure, which is called on the thread where the event happens; see `EventMonitor`.
  public init(_ handler: @escaping @Sendable (SessionEvent) -> Void) { self.handler = handler }

  /// Calls the closure.
  public func receive(_ event: SessionEvent) { handler(event) }
}
