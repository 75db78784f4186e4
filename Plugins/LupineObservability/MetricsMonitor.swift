#if Observability
  public import CoreMetrics
  public import LupineCore
  import LupineSupport

  /// Counts a session's exchanges by OpenTelemetry's names for HTTP clients.
  ///
  /// | metric | what |
  /// |---|---|
  /// | `http.client.request.duration` | a timer: how long each exchange took, retries and redirects one by one |
  /// | `http.client.active_requests` | a meter: the exchanges that are under way |
  /// | `http.client.request.body.size` | a recorder, in bytes |
  /// | `http.client.response.body.size` | a recorder, in bytes as they came over the wire |
  ///
  /// The dimensions hold neither path nor query, so their number is bounded by the servers that are asked. One monitor
  /// serves one session.
  public struct MetricsMonitor: EventMonitor {
    private let factory: any MetricsFactory
    private let hops = HopTable()

    /// Counts in this factory.
    public init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Counts one event.
    public func receive(_ event: SessionEvent) {
      let change = hops.take(event)
      if let closed = change.closed { record(closed, until: event.time) }
      if let opened = change.opened { active(opened).increment() }
    }

    private func record(_ hop: Hop, until end: Duration) {
      active(hop).decrement()
      let dimensions = hop.dimensions
      let duration = max(.zero, end - hop.started)
      Timer(
        label: "http.client.request.duration", dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory
      ).recordNanoseconds(duration.nanoseconds)
      for (label, size) in [
        ("http.client.request.body.size", hop.bytesSent),
        ("http.client.response.body.size", hop.metrics?.bytesReceived),
      ] {
        guard let size else { continue }
        Recorder(label: label, dimensions: dimensions, aggregate: true, factory: factory).record(size)
      }
    }

    private func active(_ hop: Hop) -> Meter {
      Meter(label: "http.client.active_requests", dimensions: hop.server, factory: factory)
    }
  }

  extension EventMonitor where Self == MetricsMonitor {
    /// Counts the session's exchanges; see `MetricsMonitor`.
    ///
    /// - Parameter factory: where they are counted. Default: the one that the program gave to `MetricsSystem`.
    public static func metrics(_ factory: any MetricsFactory = MetricsSystem.factory) -> MetricsMonitor {
      MetricsMonitor(factory)
    }
  }
#endif
