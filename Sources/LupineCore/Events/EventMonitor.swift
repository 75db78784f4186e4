/// Receives the events of a session.
///
/// A session calls a monitor on the thread where the event happens, which may be a thread of the transport. The monitor
/// must be quick and must not block. The events of one request arrive in order; events of different requests arrive
/// concurrently.
public protocol EventMonitor: Sendable {
  /// Receives one event.
  func receive(_ event: SessionEvent)

  /// The kinds of events that the monitor receives.
  ///
  /// Read once: when a session is built with the monitor, or when the monitor is added to a request. An event that no
  /// monitor wants is neither redacted nor delivered.
  ///
  /// Default: all.
  var kinds: SessionEvent.Kinds { get }

  /// Returns the monitor for one session or one request, which receives its events.
  ///
  /// Called for each session that is built with this monitor, and for each request that this monitor is added to. The
  /// requests of two sessions have equal identifiers, so a monitor that keeps something for each request returns a new
  /// monitor here if several sessions may share it.
  ///
  /// Default: this monitor.
  ///
  /// - Parameter clock: the clock of the session.
  func makeMonitor(clock: any Clock<Duration>) -> any EventMonitor
}

extension EventMonitor {
  /// Returns all kinds.
  public var kinds: SessionEvent.Kinds { .all }

  /// Returns this monitor.
  public func makeMonitor(clock: any Clock<Duration>) -> any EventMonitor { self }
}

extension EventMonitor where Self == ClosureEventMonitor {
  /// A monitor that calls a closure, on the thread where the event happens; see `EventMonitor`.
  ///
  /// - Parameter kinds: the kinds of events that the closure receives. Default: all.
  public static func custom(
    for kinds: SessionEvent.Kinds = .all, _ receive: @escaping @Sendable (SessionEvent) -> Void
  ) -> ClosureEventMonitor {
    ClosureEventMonitor(for: kinds, receive)
  }
}

/// A monitor that calls a closure.
public struct ClosureEventMonitor: EventMonitor {
  /// The kinds of events that the closure receives.
  public let kinds: SessionEvent.Kinds
  private let handler: @Sendable (SessionEvent) -> Void

  /// Wraps a closure, which is called on the thread where the event happens; see `EventMonitor`.
  ///
  /// - Parameter kinds: the kinds of events that the closure receives. Default: all.
  public init(for kinds: SessionEvent.Kinds = .all, _ handler: @escaping @Sendable (SessionEvent) -> Void) {
    self.kinds = kinds
    self.handler = handler
  }

  /// Calls the closure.
  public func receive(_ event: SessionEvent) { handler(event) }
}
