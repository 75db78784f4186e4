import LupineCore
import LupineFraming

/// The consequences of a response's final head for its connection and for the request's body.
struct FinalHead {
  let head: ReceivedHead
  /// Whether a proxy forwards the request.
  var isForwarded = false
  /// Whether the request's body waits for a 100 response that has not arrived (RFC 9110 section 10.1.1).
  var waitsForContinue = false
  /// The number of bytes of the request's body that have been sent.
  var bytesSent: Int64 = 0

  /// The error of a status line with another protocol's version than that of the connection.
  static let wrongVersion = LupineError(
    .malformedResponse,
    "The response violates HTTP: its status line has HTTP/2, and the connection has HTTP/1.1. It is closed.")

  /// The sender of the response.
  ///
  /// Only a proxy that forwards the request sends 407. Inside a tunnel, the response is the server's.
  var source: TransportResponse.Source { head.statusLine.code == 407 && isForwarded ? .proxy : .origin }

  /// Whether the server does not request the body: it has sent a final response instead of 100.
  var refusesBody: Bool { waitsForContinue && bytesSent == 0 }

  /// Whether the connection must not carry another exchange.
  var closesConnection: Bool {
    let line = head.statusLine
    // A 204 has no body. A server that announces one may send it, and those bytes would become the start of the next
    // response.
    if line.code == 204, head.declaresContent { return true }
    // The server may still wait for the body, and would take the next request for it. After a 417 the connection is
    // lost anyway, because `maySendRequest` rejects libcurl's resend.
    if refusesBody, line.version != .http2, line.code != 417 { return true }
    // A proxy that sends a challenge before it has read the whole body may stop reading from the connection, as squid 5
    // does.
    return source == .proxy && bytesSent > 0
  }
}
