#if Observability
  import LupineCore
  public import LupineSession
  public import Tracing

  /// Makes a span of each exchange, and tells the server of it.
  ///
  /// Each redirect, each answer to a challenge and each retry is an exchange of its own. Its span is of kind client, a child
  /// of the caller's, has OpenTelemetry's attributes for HTTP clients, and ends with the response's body or the exchange's
  /// failure; a redirect's reason is an event of it. What the tracer injects, as a rule `traceparent` (W3C Trace Context),
  /// goes out with the exchange's request. Neither the values of a query nor those of fields stand in a span. A method that
  /// is none of the standard's is `_OTHER`, unless the environment's `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS` names it.
  public struct RequestTracing: Plugin {
    private let tracer: (any Tracer)?

    /// Traces with this tracer.
    ///
    /// - Parameter tracer: `nil` means the one that the program gave to `InstrumentationSystem`, at each exchange.
    public init(_ tracer: (any Tracer)? = nil) { self.tracer = tracer }

    /// Adds what begins spans, between the session and its transport, and the monitor that ends them.
    public func install(in builder: inout Session.Builder) {
      let monitor = SpanMonitor()
      builder = builder.monitor(monitor).transportLayer(
        TransportLayer(.tracing) { [tracer] base in SpanTransport(base: base, tracer: tracer, monitor: monitor) })
    }
  }

  extension Plugin where Self == RequestTracing {
    /// A span of each exchange, and `traceparent` on its way to the server; see `RequestTracing`.
    public static func tracing(_ tracer: (any Tracer)? = nil) -> RequestTracing { RequestTracing(tracer) }
  }
#endif
