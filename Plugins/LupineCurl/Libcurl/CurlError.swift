import CLibcurl
import LupineCore
import LupineEventLoop

/// Translates libcurl's error codes into `LupineError`.
enum CurlError {
  /// - Parameters:
  ///   - text: libcurl's own message for this failure; empty if there is none.
  ///   - system: the operating system's code for a connection that failed.
  ///   - hasConnection: whether the request had a connection when it failed.
  ///   - isMultiplexed: whether the request had an HTTP/2 stream.
  static func error(
    _ code: CURLcode, text: String, system: Int32, hasConnection: Bool, isMultiplexed: Bool = false
  ) -> LupineError {
    let (kind, sentence) =
      (isMultiplexed ? HTTP2Error.meaning(code, text: text) : nil)
      ?? meaning(code, text: text, system: system, hasConnection: hasConnection)
    let detail = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    return LupineError(kind, "\(sentence) (libcurl \(code.rawValue): \(detail))")
  }

  static func error(_ code: CURLMcode) -> LupineError {
    LupineError(
      .other,
      "libcurl cannot accept the request. (libcurl multi \(code.rawValue): \(String(cString: curl_multi_strerror(code))))"
    )
  }

  private static func meaning(
    _ code: CURLcode, text: String, system: Int32, hasConnection: Bool
  ) -> (LupineError.Kind, String) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: (.hostNotFound, "The host's name has no address; check its spelling.")
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: (.proxyFailed, "The proxy could not be reached.")
    case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: connectFailure(SystemError(code: system))
    case CURLE_OPERATION_TIMEDOUT where hasConnection: (.timedOut(.total), "The exchange took too long.")
    case CURLE_OPERATION_TIMEDOUT: (.timedOut(.connect), "The connection was not made in time.")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      (.certificateRejected, "The server's certificate is not trusted.")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
      (.tlsFailed, "The TLS handshake failed.")
    default: exchangeFailure(code, text: text)
    }
  }

  private static func connectFailure(_ system: SystemError) -> (LupineError.Kind, String) {
    if system.isRefusal {
      (.connectionRefused, "The server's machine refused the connection; is the server running?")
    } else if system.isUnreachable {
      (.networkUnreachable, "There is no route to the server; is this machine on the network?")
    } else {
      (.connectionFailed, "The connection to the server could not be made.")
    }
  }

  /// Translates the failure of an exchange; libcurl's message distinguishes failures that share a code.
  private static func exchangeFailure(_ code: CURLcode, text: String) -> (LupineError.Kind, String) {
    switch code {
    case CURLE_RECV_ERROR where text.contains("Out of memory in chunked-encoding"):
      (
        .limitExceeded(.trailers),
        "A trailer exceeds libcurl's own limit of 4 KB, which applies whatever the limit trailers is."
      )
    case CURLE_RECV_ERROR where text.contains("chunk"):
      (.malformedResponse, "The response's chunks violate HTTP; its connection is closed.")
    case CURLE_RECV_ERROR where text.contains("Too large response headers"):
      (
        .limitExceeded(.responseFields),
        "The response's fields exceed libcurl's own limit of 300 KB, which applies whatever the limit responseFields is."
      )
    // libcurl reports a response line over its limit and request fields over its limit with the same code.
    case CURLE_OUT_OF_MEMORY:
      (
        .limitExceeded(.responseFields),
        "A line of the response's head exceeds libcurl's own limit of 100 KB, which applies whatever the limit "
          + "responseFields is."
      )
    // libcurl reports a connection that ends within a head as a success (`CURLE_OK`).
    case CURLE_OK, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
      CURLE_HTTP2_STREAM,
      CURLE_SEND_FAIL_REWIND, CURLE_NO_CONNECTION_AVAILABLE:
      (.connectionLost, "The connection ended before the response did.")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP_RETURNED_ERROR,
      CURLE_CHUNK_FAILED, CURLE_BAD_FUNCTION_ARGUMENT:
      (.malformedResponse, "The response violates HTTP; its connection is closed.")
    case CURLE_URL_MALFORMAT: (.invalidURL, "libcurl cannot use the URL.")
    case CURLE_ABORTED_BY_CALLBACK: (.connectionLost, "The exchange was aborted.")
    default: (.other, "The exchange failed.")
    }
  }
}

/// Distinguishes a violation of HTTP/2 from a lost connection.
enum HTTP2Error {
  /// Returns the meaning of a failure on HTTP/2; `nil` if it is the same as on HTTP/1.1.
  static func meaning(_ code: CURLcode, text: String) -> (LupineError.Kind, String)? {
    switch code {
    // A lost connection gives CURLE_PARTIAL_FILE. This code means that nghttp2 ended the connection with an error.
    case CURLE_GOT_NOTHING: (.malformedResponse, "The server violates HTTP/2; its connection is closed.")
    case CURLE_RECV_ERROR where text.contains(session): sessionFailure(text)
    case CURLE_HTTP2_STREAM where isViolation(text):
      (.malformedResponse, "The stream was closed because of a violation of HTTP/2.")
    default: nil
    }
  }

  private static let session = "nghttp2_session_mem_recv() returned"

  /// Distinguishes an exceeded limit on response fields from a violation of HTTP/2.
  ///
  /// nghttp2 limits the CONTINUATION frames; libcurl limits the fields in its callback.
  private static func sessionFailure(_ text: String) -> (LupineError.Kind, String) {
    guard text.contains("CONTINUATION") || text.contains("\(session) -902:") else {
      return (.malformedResponse, "The server violates HTTP/2; its connection is closed.")
    }
    return (
      .limitExceeded(.responseFields),
      "The fields of a response on the connection exceed libcurl's own limit of 300 KB in 9 frames, which applies "
        + "whatever the limit responseFields is."
    )
  }

  /// Whether the error code of the stream is PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR or
  /// COMPRESSION_ERROR (RFC 9113 section 7).
  private static func isViolation(_ text: String) -> Bool {
    ["(err 1)", "(err 3)", "(err 5)", "(err 6)", "(err 9)"].contains { text.contains($0) }
  }
}
