import HTTPTypes
import LupineCore

/// The end of a response that libcurl reports as a success, and whether it proves that the body is whole.
///
/// libcurl also reports a success where an HTTP/2 connection fails within a body, and where TLS ends without
/// close_notify. It does not export END_STREAM.
struct ResponseEnd {
  /// What ends the body (RFC 9112 section 6.3, RFC 9113 section 8.1).
  enum Framing: Equatable {
    /// The head: there is no body.
    case head
    /// The last of so many bytes.
    case length(Int64)
    /// The last chunk.
    case chunks
    /// END_STREAM.
    case stream
    /// The end of the connection.
    case close
  }

  let framing: Framing
  /// The bytes of the body that have arrived.
  let taken: Int64
  /// Whether the last chunk has arrived; true for a body without chunks.
  var hasLastChunk = true
  /// Whether libcurl closed the connection, without being told to, as it reported the end.
  var isConnectionClosed = false
  /// Whether TLS ended with close_notify; nil for a connection without TLS.
  var hasCloseNotify: Bool?

  /// What is missing of a proof that the body is whole; nil where nothing is.
  var failure: LupineError? {
    switch framing {
    case .length(let length) where taken != length:
      Self.lost("\(taken) of \(length) bytes of the body have arrived.")
    case .chunks where !hasLastChunk: Self.lost("The last chunk of the body has not arrived.")
    case .stream where isConnectionClosed:
      Self.lost(
        "An HTTP/2 connection that ends with a body does not show that the server sent END_STREAM "
          + "(RFC 9113 section 8.1). Ask for HTTP/1.1.")
    case .close where hasCloseNotify == false:
      Self.lost("TLS ended without close_notify, and nothing else says that the body is whole (RFC 9112 section 9.8).")
    default: nil
    }
  }

  private static func lost(_ reason: String) -> LupineError {
    LupineError(.connectionLost, "The connection ended before the response did. \(reason)")
  }
}

extension ResponseEnd.Framing {
  init(_ head: ReceivedHead, to method: HTTPRequest.Method) {
    if method == .head || head.line.code == 204 || head.line.code == 304 {
      self = .head
    } else if let length = head.framing.contentLength {
      self = .length(length)
    } else if head.framing.isChunked {
      self = .chunks
    } else {
      self = head.line.isMultiplexed ? .stream : .close
    }
  }

  /// Whether the body is whole once so many bytes have arrived, whatever comes after them.
  func isReached(by taken: Int64) -> Bool {
    switch self {
    case .head: true
    case .length(let length): taken == length
    case .chunks, .stream, .close: false
    }
  }
}
