/// Hears what a session does, and why.
///
/// Called on whatever thread the event happens, a transport's own among them, so it must be quick and never block. The
/// events of one request arrive in order; those of different requests arrive concurrently.
public protocol EventMonitor: Sendable {
  /// Hears of one event.
  func receive(_ event: SessionEvent)
}

extension EventMonitor where Self == ClosureEventMonitor {
  /// A closure as a monitor.
  public static func custom(_ receive: @escaping @Sendable (SessionEvent) -> Void) -> ClosureEventMonitor {
    ClosureEventMonitor(receive)
  }
}

/// A closure as a monitor.
public struct ClosureEventMonitor: EventMonitor {
  private let handler: @Sendable (SessionEvent) -> Void

  /// Wraps a closure.
  public init(_ handler: @escaping @Sendable (SessionEvent) -> Void) { self.handler = handler }

  /// Calls the closure.
  public func receive(_ event: SessionEvent) { handler(event) }
}
