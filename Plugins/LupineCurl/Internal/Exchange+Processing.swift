import CLibcurl
import LupineCore

/// Tracks whether the server has processed a request that got no response.
extension Exchange {
  /// Processes a line of libcurl's verbose text.
  func hear(_ text: VerboseText) {
    switch text {
    case .stream(let number): outgoing.stream = number
    case .goAway(let last): leave(above: last)
    case .refused: outgoing.isUnprocessed = true
    case .needsHTTP1: failure = failure ?? Self.needsHTTP1
    case .surplus: rare?.heldContent?.noteSurplus()
    }
  }

  /// Whether the server has certainly not processed the request: it reported this, and no part of a response has
  /// arrived.
  var isUnprocessed: Bool { outgoing.isUnprocessed && !clock.isAnswered && incoming.writer == nil }

  /// Whether libcurl is about to resend the request.
  ///
  /// False for the next round of NTLM or Negotiate.
  var isResent: Bool { ports != nil && rare?.held == nil && incoming.writer == nil }

  /// Applies a GOAWAY to every exchange of the connection; libcurl reports it only to the exchange that is reading.
  private func leave(above last: UInt32) {
    guard let ports, last < outgoing.lastStream ?? .max else { return }
    guard ports.isKnown else { return isLeft(above: last) }
    for exchange in loop.exchanges.all where exchange.isUnderWay && exchange.multi === multi && exchange.ports == ports
    {
      exchange.isLeft(above: last)
    }
  }

  private func isLeft(above last: UInt32) {
    outgoing.lastStream = last
    if let stream = outgoing.stream, stream > last { outgoing.isUnprocessed = true }
  }

  /// The error of an exchange whose request libcurl must not resend.
  var resendRefusal: LupineError { isUnprocessed ? Self.unprocessed : Self.lost }

  static let unprocessed = LupineError(.connectionLost, "The server has not processed the request, as it said itself.")
    .unprocessed()

  private static let lost = LupineError(
    .connectionLost,
    "The connection ended before the response began; whether the server has acted on the request is not known.")

  private static let needsHTTP1 = LupineError(
    .other, "The server wants HTTP/1.1 for this request (HTTP_1_1_REQUIRED); ask for that version.")
}
