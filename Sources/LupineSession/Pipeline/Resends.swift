import LupineCore

/// The resends of one request within an attempt; no retrier decides, because a resend is safe.
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
  enum Reason: String {
    case unprocessed = "the server has not processed the request"
    case lost = "a reused connection was lost before the response began"
    case expectationRefused = "the server does not support `Expect: 100-continue`"
  }

  private var count = 0
  private var lossCount = 0
  /// Whether the next exchange needs a new connection: a reused connection was lost.
  private(set) var needsNewConnection = false

  /// Counts the resend of a request whose exchange has failed; returns its reason.
  ///
  /// - Throws: `error`, if the request may not be sent again; it says so if the request has been resent before, or if
  ///   its body can be sent only once.
  mutating func add(_ request: OutgoingRequest, after error: LupineError) throws(LupineError) -> Reason {
    guard let reason = Self.reason(toResend: request, after: error) else { throw error }
    guard request.body.isRetryable else {
      throw error.appending("It was not sent again: the request's body can be sent only once.")
    }
    guard count < Self.most, reason != .lost || lossCount < Self.mostLosses else {
      throw error.appending("It was sent again \(count) times.")
    }
    count += 1
    if reason == .lost {
      lossCount += 1
      needsNewConnection = true
    }
    return reason
  }

  /// The reason why a request may be resent; `nil` if it may not.
  ///
  /// It may be resent with any method if the server has not processed it, or with an idempotent method if a reused
  /// connection was closed before a response (RFC 9110 section 9.2.2, RFC 9112 section 9.3.1).
  private static func reason(toResend request: OutgoingRequest, after error: LupineError) -> Reason? {
    if error.isUnprocessed { return .unprocessed }
    guard error.kind == .connectionLost, request.isIdempotent, let metrics = error.metrics, metrics.isConnectionReused,
      metrics.firstByte == nil
    else { return nil }
    return .lost
  }

  /// The request without `Expect: 100-continue`, if the server refuses that with 417 and the body can be sent again;
  /// `nil` otherwise (RFC 9110 section 10.1.1).
  static func withoutExpectation(_ request: OutgoingRequest, after response: TransportResponse) -> OutgoingRequest? {
    guard response.statusCode == 417, response.source == .origin else { return nil }
    let field = request.headers[.expect]
    guard request.expectsContinue || field != nil,
      field.map({ $0.lowercased() == "100-continue" }) ?? true, request.body.isRetryable
    else { return nil }
    var next = request
    next.options.expectsContinue = false
    next.headers[.expect] = nil
    return next
  }
}
