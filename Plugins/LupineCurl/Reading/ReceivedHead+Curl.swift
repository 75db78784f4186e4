import LupineCore
import LupineFraming

extension ReceivedHead {
  /// Whether the head asks for authentication (401 or 407), which libcurl may answer itself.
  var isChallenge: Bool { statusLine.code == 401 || statusLine.code == 407 }

  /// Whether `Exchange.processFinalHead` must process the head even if the request has no body.
  var needsProcessing: Bool { isChallenge || statusLine.code == 204 || statusLine.version == .http2 }
}

/// The violations of HTTP in the content of a challenge that libcurl answers.
enum MalformedChallenge: String {
  case surplus = "bytes follow the end of a challenge"
  case tolerated =
    "a challenge that authenticates its connection was not strictly framed"
  case unfinished = "the next authentication round began before the end of a challenge"

  /// The error for the violation.
  var error: LupineError {
    LupineError(.malformedResponse, "The response violates HTTP: \(rawValue). Its connection is closed.")
  }
}
