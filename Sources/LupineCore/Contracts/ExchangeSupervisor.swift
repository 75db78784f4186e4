package import HTTPTypes

/// Receives the events of an exchange.
package protocol ExchangeSupervisor: AnyObject, Sendable {
  /// Whether a monitor receives the events.
  var isObserved: Bool { get }

  /// Returns the destination of the body that follows a final head; `nil` if it is set later with `ResponseBody.open`.
  func sink(for head: HTTPResponse) -> BodySink?

  /// Receives an event of the exchange.
  func hear(_ event: SessionEvent.Kind, attempt: Int)

  /// Cancels the request that the exchange belongs to, as a cancellation by the caller does.
  func cancelRequest()

  /// Receives the extent of the request's body before its first byte is sent.
  ///
  /// - Parameters:
  ///   - base: the number of bytes of the upload that come before the body.
  ///   - length: the number of bytes of the upload from there on; `nil` if it is not known.
  func willSend(from base: Int64, length: Int64?, at time: Duration)

  /// Receives the number of bytes of the request's body that have been sent so far.
  func didSend(_ count: Int64, at time: Duration)

  /// Receives the number of bytes of the response's body that have arrived so far.
  func didReceive(_ count: Int64, at time: Duration)
}

extension ExchangeSupervisor {
  package var isObserved: Bool { true }

  package func sink(for head: HTTPResponse) -> BodySink? { nil }

  package func cancelRequest() {}

  package func willSend(from base: Int64, length: Int64?, at time: Duration) {}

  package func didSend(_ count: Int64, at time: Duration) {}

  package func didReceive(_ count: Int64, at time: Duration) {}
}

/// Supervises an exchange with closures: for a test, or for a branch of another exchange.
package final class ClosureSupervisor: ExchangeSupervisor {
  private let events: @Sendable (SessionEvent.Kind) -> Void
  private let sink: @Sendable (HTTPResponse) -> BodySink?

  package init(
    events: @escaping @Sendable (SessionEvent.Kind) -> Void,
    sink: @escaping @Sendable (HTTPResponse) -> BodySink? = { _ in nil }
  ) {
    self.events = events
    self.sink = sink
  }

  package func sink(for head: HTTPResponse) -> BodySink? { sink(head) }

  package func hear(_ event: SessionEvent.Kind, attempt: Int) { events(event) }
}
