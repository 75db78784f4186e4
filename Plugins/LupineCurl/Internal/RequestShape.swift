import CLibcurl
import LupineCore

/// How a request's body goes out.
enum RequestShape: Hashable {
  /// No body, and no word of one.
  case bare
  /// No body, and none in the response.
  case head
  /// A body of so many bytes; -1 sends it in chunks.
  case body(length: Int64)

  /// Whether there are, or may be, bytes to send.
  var hasContent: Bool {
    if case .body(let length) = self { length != 0 } else { false }
  }
}
