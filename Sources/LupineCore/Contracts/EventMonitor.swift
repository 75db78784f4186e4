/// Hears what a session does, and why.
///
/// Called on whatever thread the event happens, a transport's own among them, so it must be quick and never block. The
/// events of one request arrive in order; those of different requests arrive concurrently.
public protocol EventMonitor: Sendable {
  /// Hears of one event.
  func receive(_ event: SessionEvent)
}
