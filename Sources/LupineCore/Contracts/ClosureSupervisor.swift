package import HTTPTypes

/// Supervises an exchange by closures: one of a test, a branch of another exchange.
package final class ClosureSupervisor: ExchangeSupervisor {
  private let events: @Sendable (SessionEvent.Kind) -> Void
  private let sink: @Sendable (HTTPResponse) -> BodySink

  package init(
    events: @escaping @Sendable (SessionEvent.Kind) -> Void, sink: @escaping @Sendable (HTTPResponse) -> BodySink
  ) {
    self.events = events
    self.sink = sink
  }

  package func sink(for head: HTTPResponse, status: Int, of control: ExchangeControl, attempt: Int) -> BodySink {
    sink(head)
  }

  package func hear(_ event: SessionEvent.Kind, attempt: Int) { events(event) }
}
