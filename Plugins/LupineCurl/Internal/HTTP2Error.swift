import CLibcurl
import LupineCore

/// Tells what libcurl says of a broken rule of HTTP/2 from a connection that was lost.
enum HTTP2Error {
  /// What a failure of a request on HTTP/2 means; `nil` where it means the same as on HTTP/1.1.
  static func meaning(_ code: CURLcode, text: String) -> (LupineError.Kind, String)? {
    switch code {
    // A connection that ends gives CURLE_PARTIAL_FILE; this code comes where nghttp2 has ended it by an error.
    case CURLE_GOT_NOTHING: (.malformedResponse, "The server breaks the rules of HTTP/2; its connection is closed.")
    case CURLE_RECV_ERROR where text.contains(session): connection(text)
    case CURLE_HTTP2_STREAM where isBroken(text):
      (.malformedResponse, "The stream was closed because a rule of HTTP/2 was broken.")
    default: nil
    }
  }

  private static let session = "nghttp2_session_mem_recv() returned"

  /// nghttp2's own limit on CONTINUATION frames, and libcurl's on fields, which its callback refuses.
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

  /// Whether the code of the stream's end says that a rule was broken (RFC 9113 section 7): PROTOCOL_ERROR,
  /// FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR or COMPRESSION_ERROR.
  private static func isBroken(_ text: String) -> Bool {
    ["(err 1)", "(err 3)", "(err 5)", "(err 6)", "(err 9)"].contains { text.contains($0) }
  }
}
