#if Observability
  public import CoreMetrics
  public import LupineCore
  import LupineSupport

  /// Records metrics of a session's exchanges under OpenTelemetry's names for HTTP clients.
  ///
  /// | metric | meaning |
  /// |---|---|
  /// | `http.client.request.duration` | a timer: how long each exchange took; retries and redirects count separately |
  /// | `http.client.active_requests` | a meter: the number of active exchanges |
  /// | `http.client.request.body.size` | a recorder, in bytes |
  /// | `http.client.response.body.size` | a recorder, in bytes as received from the connection |
  ///
  /// The dimensions contain neither path nor query, so the number of servers bounds their number. A monitor serves one
  /// session.
  public struct MetricsMonitor: EventMonitor {
    private let factory: any MetricsFactory
    private let exchanges = ExchangeTable()

    /// Creates a monitor that records in a factory.
    public init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Records one event.
    public func receive(_ event: SessionEvent) {
      let change = exchanges.apply(event)
      if let ended = change.ended { record(ended, until: event.time) }
      if let begun = change.begun { active(begun).increment() }
    }

    private func record(_ exchange: ExchangeTelemetry, until end: Duration) {
      active(exchange).decrement()
      let dimensions = exchange.dimensions
      let duration = max(.zero, end - exchange.started)
      Timer(
        label: "http.client.request.duration", dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory
      ).recordNanoseconds(duration.nanoseconds)
      for (label, size) in [
        ("http.client.request.body.size", exchange.bytesSent),
        ("http.client.response.body.size", exchange.metrics?.bytesReceived),
      ] {
        guard let size else { continue }
        Recorder(label: label, dimensions: dimensions, aggregate: true, factory: factory).record(size)
      }
    }

    private func active(_ exchange: ExchangeTelemetry) -> Meter {
      Meter(label: "http.client.active_requests", dimensions: exchange.serverDimensions, factory: factory)
    }
  }

  extension EventMonitor where Self == MetricsMonitor {
    /// A monitor that records the session's metrics; see `MetricsMonitor`.
    ///
    /// - Parameter factory: the factory of the metrics. Default: the factory of `MetricsSystem`.
    public static func metrics(_ factory: any MetricsFactory = MetricsSystem.factory) -> MetricsMonitor {
      MetricsMonitor(factory)
    }
  }
#endif
