#if Observability
  import LupineCore
  public import LupineSession
  public import Tracing

  /// Creates a span for each exchange, and sends the trace context to the server.
  ///
  /// Each redirect, each answer to a challenge and each retry is a separate exchange. Its span is of kind client, a
  /// child of the caller's span, and has OpenTelemetry's attributes for HTTP clients. The span ends with the response's
  /// body or with the failure of the exchange. A redirect's reason is an event of the span. The request carries the
  /// fields that the tracer injects, usually `traceparent` (W3C Trace Context). A span contains neither the values of a
  /// query nor those of fields. A method outside the standard is recorded as `_OTHER`, unless the environment variable
  /// `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS` names it.
  public struct RequestTracing: Plugin {
    private let tracer: (any Tracer)?

    /// Creates the plugin with a tracer.
    ///
    /// - Parameter tracer: the tracer; `nil` means the current tracer of `InstrumentationSystem` at each exchange.
    public init(_ tracer: (any Tracer)? = nil) { self.tracer = tracer }

    /// Adds the transport layer that begins spans and the monitor that ends them.
    public func install(in builder: inout Session.Builder) {
      let monitor = SpanMonitor()
      builder = builder.monitor(monitor).transportLayer(
        TransportLayer(.tracing) { [tracer] base in SpanTransport(base: base, tracer: tracer, monitor: monitor) })
    }
  }

  extension Plugin where Self == RequestTracing {
    /// Spans for the exchanges, and `traceparent` in the requests; see `RequestTracing`.
    public static func tracing(_ tracer: (any Tracer)? = nil) -> RequestTracing { RequestTracing(tracer) }
  }
#endif
