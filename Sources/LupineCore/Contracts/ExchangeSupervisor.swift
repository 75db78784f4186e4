/// Receives the events of an exchange.
// For the session's request, which is the only supervisor; layers and monitors receive events.
package protocol ExchangeSupervisor: AnyObject, Sendable {
  /// Whether a monitor receives the events.
  var isObserved: Bool { get }

  /// Receives an event of the exchange.
  func receive(_ event: SessionEvent.Kind, attempt: Int)

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

  /// Receives the number of bytes of the upload that the server has stated to have.
  ///
  /// - Parameter total: the number of bytes of the whole upload; `nil` if it is not known.
  func didAcknowledge(_ count: Int64, of total: Int64?, at time: Duration)

  /// Receives the number of bytes of the response's body that have arrived so far.
  func didReceive(_ count: Int64, at time: Duration)
}
