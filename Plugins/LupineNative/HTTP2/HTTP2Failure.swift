import CNghttp2
import LupineCore

/// The errors of HTTP/2 connections and streams.
enum HTTP2Failure {
  /// The connection ended, and the server may have processed the request.
  static let lost = LupineError(.connectionLost, "The connection ended before the response did.")

  /// The peer sends frames without end.
  static let flooded = LupineError(
    .malformedResponse,
    "The server keeps sending frames that are not part of a response, such as empty frames; its connection is closed.")

  /// A frame breaks the rules for a connection.
  static func violation(_ reason: String?) -> LupineError {
    let detail = reason.map { " (nghttp2: \($0))" } ?? ""
    return LupineError(.malformedResponse, "The server violates HTTP/2; its connection is closed.\(detail)")
  }

  /// A frame breaks the rules for a stream, such as a body that does not have its stated length.
  static func streamViolation(_ reason: String?) -> LupineError {
    let detail = reason.map { " (nghttp2: \($0))" } ?? ""
    return LupineError(.malformedResponse, "The stream was closed because of a violation of HTTP/2.\(detail)")
  }

  /// The server has not processed the request (RFC 9113 section 8.7).
  static let refused = LupineError(
    .connectionLost, "The server refused the request before it processed it; it may be sent again."
  ).unprocessed()

  /// The server has ended the stream with this code of RFC 9113 section 7.
  static func reset(_ code: UInt32) -> LupineError {
    if isViolation(code) { return streamViolation(name(of: code)) }
    if code == NGHTTP2_HTTP_1_1_REQUIRED.rawValue {
      return LupineError(.connectionLost, "The server requires HTTP/1.1 for this request; set its version.")
    }
    return LupineError(
      .connectionLost, "The server ended the stream before the response was complete. (\(name(of: code)))")
  }

  /// Whether the code states that a rule was broken.
  static func isViolation(_ code: UInt32) -> Bool {
    [
      NGHTTP2_PROTOCOL_ERROR, NGHTTP2_FLOW_CONTROL_ERROR, NGHTTP2_STREAM_CLOSED, NGHTTP2_FRAME_SIZE_ERROR,
      NGHTTP2_COMPRESSION_ERROR,
    ].contains { $0.rawValue == code }
  }

  static func name(of code: UInt32) -> String { String(cString: nghttp2_http2_strerror(code)) }

  /// nghttp2's own text for one of its error codes.
  static func text(of code: Int32) -> String { String(cString: nghttp2_strerror(code)) }
}
