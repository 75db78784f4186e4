import HTTPTypes
import LupineCore

/// A head that is complete, and what follows from it for its exchange.
final class ReceivedHead {
  let line: StatusLine
  let response: HTTPResponse
  let framing: Framing
  /// Whether somebody is to say who he is, which libcurl may be about to do by itself.
  let isChallenge: Bool
  /// Whether no content follows it, whatever the method (RFC 9112 section 6.3).
  let endsResponse: Bool
  /// Whether it may ask for more of an exchange without a body than to take the response's.
  let needsCare: Bool

  init(_ line: StatusLine, _ response: HTTPResponse, _ framing: Framing) {
    self.line = line
    self.response = response
    self.framing = framing
    isChallenge = line.code == 401 || line.code == 407
    endsResponse = line.code == 204 || line.code == 304 || framing.contentLength == 0
    needsCare = isChallenge || line.code == 204 || line.version == .http2
  }
}
