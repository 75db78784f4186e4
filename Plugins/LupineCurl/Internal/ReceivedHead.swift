import HTTPTypes
import LupineCore

/// A complete head with its framing.
final class ReceivedHead {
  let line: StatusLine
  let response: HTTPResponse
  let framing: Framing
  /// Whether the head asks for authentication (401 or 407), which libcurl may answer itself.
  let isChallenge: Bool
  /// Whether `takeNote(of:)` must process the head even if the request has no body.
  let needsCare: Bool

  init(_ line: StatusLine, _ response: HTTPResponse, _ framing: Framing) {
    self.line = line
    self.response = response
    self.framing = framing
    isChallenge = line.code == 401 || line.code == 407
    needsCare = isChallenge || line.code == 204 || line.version == .http2
  }
}
