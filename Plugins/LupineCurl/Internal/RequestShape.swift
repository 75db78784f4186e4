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
}
