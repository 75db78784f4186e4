package import HTTPTypes

/// Stands above an exchange: decides where its body goes, and is told what happens.
package protocol ExchangeSupervisor: AnyObject, Sendable {
  /// Whether a monitor receives the events.
  var isObserved: Bool { get }

  /// Decides where the body behind a final head goes.
  ///
  /// - Parameter status: the head's status, which the head keeps as text.
  func sink(for head: HTTPResponse, status: Int, of control: ExchangeControl, attempt: Int) -> BodySink

  /// Receives an event of the exchange.
  func hear(_ event: SessionEvent.Kind, attempt: Int)

  /// Ends the request that the exchange belongs to, as its program would.
  func cancelRequest()

  /// Receives the length of the request's body, in bytes, before its first byte is sent; `nil` where it is not known.
  func willSend(total: Int64?, at time: Duration)

  /// Receives how many bytes of the request's body have been sent so far.
  func didSend(_ count: Int64, at time: Duration)

  /// Receives how many bytes of the response's body have arrived so far.
  func didReceive(_ count: Int64, at time: Duration)
}

extension ExchangeSupervisor {
  package var isObserved: Bool { true }

  package func cancelRequest() {}

  package func willSend(total: Int64?, at time: Duration) {}

  package func didSend(_ count: Int64, at time: Duration) {}

  package func didReceive(_ count: Int64, at time: Duration) {}
}

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
