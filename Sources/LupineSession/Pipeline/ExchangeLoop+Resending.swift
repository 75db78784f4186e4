import HTTPTypes
import LupineCore
import Synchronization

/// The requests that are sent again below the attempt: no retrier is asked, since sending them again is safe.
extension ExchangeLoop {
  /// How often the requests of one attempt are sent again.
  static let mostResends = 3

  /// Returns if the request may be sent again, after it has emitted `resending`; throws otherwise.
  ///
  /// - Parameters:
  ///   - count: how often requests have been sent again already.
  /// - Throws: the error, where the request is not to be sent again.
  func resend(_ request: OutgoingRequest, after error: LupineError, _ count: Int) throws(LupineError) {
    guard let reason = reason(toResend: request, after: error), task.state.withLock({ $0.cancellation }) == nil else {
      throw error
    }
    guard request.body.isRetryable else {
      throw error.noting("It was not sent again: the request's body can be sent only once.")
    }
    guard count < Self.mostResends else {
      throw error.noting("It was sent again \(count) times.")
    }
    task.emit(.resending(after: error.about(request.summary), reason: reason), attempt: number)
  }

  /// Why a request may be sent again: the server has not acted on it, whatever the method, or the method allows it and
  /// the server may just have closed the kept connection (RFC 9110 section 9.2.2, RFC 9112 section 9.3.1).
  private func reason(toResend request: OutgoingRequest, after error: LupineError) -> String? {
    if error.isUnprocessed { return "the server has not processed the request" }
    guard error.kind == .connectionLost, request.isIdempotent, let metrics = error.metrics, metrics.isConnectionReused,
      metrics.firstByte == nil
    else { return nil }
    return "a kept connection was lost before the response began"
  }
}
