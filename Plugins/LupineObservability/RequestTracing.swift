#if Observability
  import HTTPTypes
  import LupineCore
  public import LupineSession
  import Synchronization
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

    /// Adds the layer that begins spans and the monitor that ends them.
    public func install(in builder: inout Session.Builder) {
      let monitor = SpanMonitor()
      builder = builder.monitor(monitor).exchangeLayer(.tracing) { [tracer] in
        TracingLayer(tracer: tracer, monitor: monitor)
      }
    }
  }

  extension Plugin where Self == RequestTracing {
    /// Spans for the exchanges, and `traceparent` in the requests; see `RequestTracing`.
    public static func tracing(_ tracer: (any Tracer)? = nil) -> RequestTracing { RequestTracing(tracer) }
  }

  /// Begins the span of an exchange and injects its context into the request.
  struct TracingLayer: ExchangeLayer {
    let tracer: (any Tracer)?
    let monitor: SpanMonitor

    func send(
      _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
    ) async throws(LupineError) -> TransportResponse {
      let tracer = tracer ?? InstrumentationSystem.tracer
      let exchange =
        monitor.exchange(of: context.id)
        ?? ExchangeTelemetry(request.summary, attempt: context.attempt, resendCount: 0, started: .zero)
      let span = tracer.startSpan(exchange.spanName, ofKind: .client)
      span.setAttributes(exchange.attributes)
      monitor.begin(span, for: context.id)
      var request = request
      tracer.inject(span.context, into: &request.headers, using: FieldInjector())
      return try await next(request, in: context)
    }
  }

  /// Adds the results of exchanges to their spans, and ends the spans.
  struct SpanMonitor: EventMonitor {
    private let spans = SpanTable()
    private let exchanges = ExchangeTable()

    /// Returns the latest exchange of a request, for its span.
    func exchange(of request: RequestID) -> ExchangeTelemetry? { exchanges.current(of: request) }

    func begin(_ span: any Tracing.Span, for request: RequestID) { spans.insert(span, for: request) }

    func receive(_ event: SessionEvent) {
      if let ended = exchanges.apply(event).ended { end(event.request, ended) }
      guard case .redirected(let target, let isFollowed, let reason) = event.kind else { return }
      spans.span(of: event.request)?.addEvent(
        SpanEvent(
          name: "redirect",
          attributes: [
            "lupine.redirect.target": .string(target), "lupine.redirect.followed": .bool(isFollowed),
            "lupine.redirect.reason": .string(reason),
          ]))
    }

    private func end(_ request: RequestID, _ exchange: ExchangeTelemetry) {
      guard let span = spans.remove(request) else { return }
      span.setAttributes(exchange.attributes)
      if let error = exchange.error {
        span.setStatus(SpanStatus(code: .error, message: error.message))
      } else if exchange.errorType != nil {
        span.setStatus(SpanStatus(code: .error))
      }
      span.end()
    }
  }

  /// The spans that have begun and not ended.
  final class SpanTable: Sendable {
    private let spans = Mutex<[RequestID: any Tracing.Span]>([:])

    func insert(_ span: any Tracing.Span, for request: RequestID) {
      // An exchange ends its span before the next one begins; a remaining span has missed its end.
      spans.withLock { $0.updateValue(span, forKey: request) }?.end()
    }

    func span(of request: RequestID) -> (any Tracing.Span)? { spans.withLock { $0[request] } }

    func remove(_ request: RequestID) -> (any Tracing.Span)? { spans.withLock { $0.removeValue(forKey: request) } }
  }

  /// Writes the propagated values of a tracer into a request's fields.
  struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
      guard let name = HTTPField.Name(key) else { return }
      carrier[name] = value
    }
  }

  extension Tracing.Span {
    func setAttributes(_ values: [(name: String, value: ExchangeTelemetry.Value)]) {
      updateAttributes { attributes in
        for (name, value) in values {
          switch value {
          case .text(let text): attributes.set(name, value: .string(text))
          case .number(let number): attributes.set(name, value: .int64(number))
          }
        }
      }
    }
  }
#endif
