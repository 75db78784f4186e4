import LupineCore

/// The violations of the chunked coding.
enum MalformedChunk: String {
  case size = "the size of a chunk is no plain hexadecimal number"
  case largeSize = "the size of a chunk has more than 16 digits, or is beyond 63 bits"
  case `extension` = "an extension of a chunk breaks the grammar"
  case lineEnd = "a line among the chunks does not end with CRLF"
  case contentEnd = "the content of a chunk is not followed by CRLF"

  /// The error for the violation.
  ///
  /// Other programs may find a different end of such a body, so its connection is not reused.
  var error: LupineError {
    LupineError(.malformedResponse, "The response breaks the rules of HTTP: \(rawValue). Its connection is closed.")
  }
}
