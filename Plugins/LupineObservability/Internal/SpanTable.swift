#if Observability
  import LupineCore
  import Synchronization
  import Tracing

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
#endif
