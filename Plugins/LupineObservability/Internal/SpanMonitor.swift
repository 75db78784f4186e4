#if Observability
  import LupineCore
  import Tracing

  /// Adds the results of exchanges to their spans, and ends the spans.
  struct SpanMonitor: EventMonitor {
    private let spans = SpanTable()
    private let hops = HopTable()

    /// Returns the latest exchange of a request, for its span.
    func hop(of request: RequestID) -> Hop? { hops.current(of: request) }

    func begin(_ span: any Tracing.Span, for request: RequestID) { spans.insert(span, for: request) }

    func receive(_ event: SessionEvent) {
      if let closed = hops.take(event).closed { end(event.request, closed) }
      guard case .redirected(let target, let isFollowed, let reason) = event.kind else { return }
      spans.span(of: event.request)?.addEvent(
        SpanEvent(
          name: "redirect",
          attributes: [
            "lupine.redirect.target": .string(target), "lupine.redirect.followed": .bool(isFollowed),
            "lupine.redirect.reason": .string(reason),
          ]))
    }

    private func end(_ request: RequestID, _ hop: Hop) {
      guard let span = spans.remove(request) else { return }
      span.setAttributes(hop.attributes)
      if let error = hop.error {
        span.setStatus(SpanStatus(code: .error, message: error.message))
      } else if hop.errorType != nil {
        span.setStatus(SpanStatus(code: .error))
      }
      span.end()
    }
  }
#endif
