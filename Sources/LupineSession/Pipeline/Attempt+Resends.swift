import LupineCore
import Synchronization

/// The resends of one request.
///
/// After the loss of a connection it is unknown whether the server has processed the request, so the request is resent
/// only a few times. A request that the server has certainly not processed is resent more often: a server that closes
/// each connection after a few requests may refuse a request on several connections.
struct Resends {
  /// The maximum number of resends after the loss of a reused connection.
  private static let mostLosses = 3
  /// The maximum number of resends, whatever the reason.
  private static let most = 16

  /// Why a request may be sent again.
  enum Reason {
    /// The server has not processed the request.
    case unprocessed
    /// A reused connection was lost before the response began.
    case lost

    /// The reason, for monitors.
    var text: String {
      switch self {
      case .unprocessed: "the server has not processed the request"
      case .lost: "a reused connection was lost before the response began"
      }
    }
  }

  private var count = 0
  private var lossCount = 0
  /// Whether the next exchange needs a new connection: a reused connection was lost.
  private(set) var needsNewConnection = false

  /// Counts a resend.
  ///
  /// - Throws: `error` with the number of resends, if the request has been resent too often.
  mutating func add(_ reason: Reason, after error: LupineError) throws(LupineError) {
    guard count < Self.most, reason != .lost || lossCount < Self.mostLosses else {
      throw error.appending("It was sent again \(count) times.")
    }
    count += 1
    guard reason == .lost else { return }
    lossCount += 1
    needsNewConnection = true
  }
}

/// Resends requests within an attempt; no retrier decides, because the resend is safe.
extension Attempt {
  /// Emits `resending` and returns if the request may be resent; throws otherwise.
  ///
  /// - Throws: `error`, if the request is not resent.
  func resend(
    _ request: OutgoingRequest, after error: LupineError, _ resends: inout Resends
  ) throws(LupineError) {
    guard let reason = reason(toResend: request, after: error), execution.state.withLock({ $0.cancellation }) == nil
    else {
      throw error
    }
    guard request.body.isRetryable else {
      throw error.appending("It was not sent again: the request's body can be sent only once.")
    }
    try resends.add(reason, after: error)
    emit(.resending(after: error.about(request.summary), reason: reason.text))
  }

  /// The reason why a request may be resent; `nil` if it may not.
  ///
  /// It may be resent with any method if the server has not processed it, or with an idempotent method if a reused
  /// connection was closed before a response (RFC 9110 section 9.2.2, RFC 9112 section 9.3.1).
  private func reason(toResend request: OutgoingRequest, after error: LupineError) -> Resends.Reason? {
    if error.isUnprocessed { return .unprocessed }
    guard error.kind == .connectionLost, request.isIdempotent, let metrics = error.metrics, metrics.isConnectionReused,
      metrics.firstByte == nil
    else { return nil }
    return .lost
  }
}
