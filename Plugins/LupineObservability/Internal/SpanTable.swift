#if Observability
  import LupineCore
  import Synchronization
  import Tracing

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
#endif
