#if Observability
  import HTTPTypes
  import LupineCore
  import Tracing

  /// Begins the span of an attempt and injects it into the request.
  struct SpanInterceptor: Interceptor {
    let tracer: (any Tracer)?
    let spans: SpanTable

    func intercept(
      _ request: OutgoingRequest, context: TransferContext,
      next: (OutgoingRequest) async throws -> TransportResponse
    ) async throws -> TransportResponse {
      let tracer = tracer ?? InstrumentationSystem.tracer
      let hop = Hop(request.summary, attempt: context.attempt, resendCount: context.attempt - 1, started: .zero)
      let span = tracer.startSpan(hop.method, ofKind: .client)
      span.setAttributes(hop.attributes)
      spans.insert(span, for: context.id)
      var request = request
      tracer.inject(span.context, into: &request.headers, using: FieldInjector())
      return try await next(request)
    }
  }
#endif
