import LupineCore

/// What can be wrong with a body in chunks.
enum MalformedChunk: String {
  case size = "the size of a chunk is no plain hexadecimal number"
  case largeSize = "the size of a chunk has more than 16 digits, or is beyond 63 bits"
  case `extension` = "an extension of a chunk breaks the grammar"
  case lineEnd = "a line among the chunks does not end with CRLF"
  case contentEnd = "the content of a chunk is not followed by CRLF"

  /// Other programs may find another end of such a body, so its connection is not used again.
  var error: LupineError {
    LupineError(.malformedResponse, "The response breaks the rules of HTTP: \(rawValue). Its connection is closed.")
  }
}
