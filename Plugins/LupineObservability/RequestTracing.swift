#if Observability
  public import LupineCore
  public import Tracing

  /// Makes a span of each attempt, and tells the server of it.
  ///
  /// The span is of kind client, a child of the caller's, has OpenTelemetry's attributes for HTTP clients, and ends with
  /// the response's body or the attempt's failure; the redirects that were followed are its events. What the tracer
  /// injects, as a rule `traceparent` (W3C Trace Context), goes out with the attempt's requests. Neither the values of a
  /// query nor those of fields stand in a span.
  public struct RequestTracing: Plugin {
    private let tracer: (any Tracer)?

    /// Traces with this tracer.
    ///
    /// - Parameter tracer: `nil` means the one that the program gave to `InstrumentationSystem`, at each attempt.
    public init(_ tracer: (any Tracer)? = nil) { self.tracer = tracer }

    /// Adds the interceptor that begins spans and the monitor that ends them.
    public func install(in builder: inout Session.Builder) {
      let spans = SpanTable()
      builder = builder.interceptor(SpanInterceptor(tracer: tracer, spans: spans)).monitor(SpanMonitor(spans: spans))
    }
  }

  extension Plugin where Self == RequestTracing {
    /// A span of each attempt, and `traceparent` on its way to the server; see `RequestTracing`.
    public static func tracing(_ tracer: (any Tracer)? = nil) -> RequestTracing { RequestTracing(tracer) }
  }
#endif
