#if Observability
  import HTTPTypes
  import LupineCore
  import Tracing

  /// Begins the span of an exchange and injects its context into the request.
  struct SpanTransport: Transport {
    let base: any Transport
    let tracer: (any Tracer)?
    let monitor: SpanMonitor

    var capabilities: TransportCapabilities { base.capabilities }

    func send(
      _ request: OutgoingRequest, in context: TransferContext
    ) async throws(LupineError) -> TransportResponse {
      let tracer = tracer ?? InstrumentationSystem.tracer
      let hop =
        monitor.hop(of: context.id)
        ?? Hop(request.summary, attempt: context.attempt, resendCount: 0, started: .zero)
      let span = tracer.startSpan(hop.spanName, ofKind: .client)
      span.setAttributes(hop.attributes)
      monitor.begin(span, for: context.id)
      var request = request
      tracer.inject(span.context, into: &request.headers, using: FieldInjector())
      return try await base.send(request, in: context)
    }

    func shutdown() async { await base.shutdown() }
  }
#endif
