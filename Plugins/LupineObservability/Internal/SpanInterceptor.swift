#if Observability
  import HTTPTypes
  import LupineCore
  import Synchronization
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

  /// Writes what a tracer wants to be propagated into a request's fields.
  struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
      guard let name = HTTPField.Name(key) else { return }
      carrier[name] = value
    }
  }

  /// The spans that have begun and not ended.
  final class SpanTable: Sendable {
    private let spans = Mutex<[RequestID: any Tracing.Span]>([:])

    func insert(_ span: any Tracing.Span, for request: RequestID) {
      // Each attempt ends its own; one that is still here lost its end to an interceptor that asked twice.
      spans.withLock { $0.updateValue(span, forKey: request) }?.end()
    }

    func span(of request: RequestID) -> (any Tracing.Span)? { spans.withLock { $0[request] } }

    func remove(_ request: RequestID) -> (any Tracing.Span)? { spans.withLock { $0.removeValue(forKey: request) } }
  }

  extension Tracing.Span {
    func setAttributes(_ values: [(name: String, value: Hop.Value)]) {
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
