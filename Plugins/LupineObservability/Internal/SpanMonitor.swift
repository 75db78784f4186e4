#if Observability
  import LupineCore
  import Tracing

  /// Adds to spans what becomes of their attempts, and ends them.
  struct SpanMonitor: EventMonitor {
    let spans: SpanTable
    private let hops = HopTable()

    init(spans: SpanTable) { self.spans = spans }

    func receive(_ event: SessionEvent) {
      let change = hops.take(event)
      switch event.kind {
      case .redirected(let target, let isFollowed, let reason):
        spans.span(of: event.request)?.addEvent(
          SpanEvent(
            name: "redirect",
            attributes: [
              "url.full": .string(target), "lupine.redirect.followed": .bool(isFollowed),
              "lupine.redirect.reason": .string(reason),
            ]))
      case .received, .failed, .finished: end(event, change.closed)
      default: break
      }
    }

    private func end(_ event: SessionEvent, _ hop: Hop?) {
      guard let span = spans.remove(event.request) else { return }
      // The span keeps the URL that it began with; what the last exchange adds is what came back.
      span.setAttributes((hop?.attributes ?? []).filter { !Hop.requestNames.contains($0.name) })
      let error: LupineError? =
        switch event.kind {
        case .failed(let error): error
        case .finished(let error): error
        default: nil
        }
      if let error {
        span.setAttributes([("error.type", .text(Hop.type(of: error)))])
        span.setStatus(SpanStatus(code: .error, message: error.message))
      } else if hop?.errorType != nil {
        span.setStatus(SpanStatus(code: .error))
      }
      span.end()
    }
  }
#endif
