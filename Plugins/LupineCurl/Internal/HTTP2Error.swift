import CLibcurl
import LupineCore

/// Distinguishes a violation of HTTP/2 from a lost connection.
enum HTTP2Error {
  /// Returns the meaning of a failure on HTTP/2; `nil` if it is the same as on HTTP/1.1.
  static func meaning(_ code: CURLcode, text: String) -> (LupineError.Kind, String)? {
    switch code {
    // A lost connection gives CURLE_PARTIAL_FILE. This code means that nghttp2 ended the connection with an error.
    case CURLE_GOT_NOTHING: (.malformedResponse, "The server breaks the rules of HTTP/2; its connection is closed.")
    case CURLE_RECV_ERROR where text.contains(session): connection(text)
    case CURLE_HTTP2_STREAM where isBroken(text):
      (.malformedResponse, "The stream was closed because a rule of HTTP/2 was broken.")
    default: nil
    }
  }

  private static let session = "nghttp2_session_mem_recv() returned"

  /// Distinguishes an exceeded limit on response fields from a violation of HTTP/2.
  ///
  /// nghttp2 limits the CONTINUATION frames; libcurl limits the fields in its callback.
  private static func connection(_ text: String) -> (LupineError.Kind, String) {
    guard text.contains("CONTINUATION") || text.contains("\(session) -902:") else {
      return (.malformedResponse, "The server breaks the rules of HTTP/2; its connection is closed.")
    }
    return (
      .limitExceeded(.responseFields),
      "The fields of a response on the connection exceed what libcurl takes, 300 KB in 9 frames, whatever the limit "
        + "responseFields is."
    )
  }

  /// Whether the error code of the stream is PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR or
  /// COMPRESSION_ERROR (RFC 9113 section 7).
  private static func isBroken(_ text: String) -> Bool {
    ["(err 1)", "(err 3)", "(err 5)", "(err 6)", "(err 9)"].contains { text.contains($0) }
  }
}
