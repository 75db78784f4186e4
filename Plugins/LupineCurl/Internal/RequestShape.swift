import CLibcurl
import LupineCore

/// How a request's body is sent.
enum RequestShape: Hashable {
  /// No body and no Content-Length.
  case bare
  /// No body, and no body in the response.
  case head
  /// A body of this length in bytes; -1 sends the body in chunks.
  case body(length: Int64)

  /// Whether there may be bytes to send.
  var hasContent: Bool {
    if case .body(let length) = self { length != 0 } else { false }
  }
}
