import HTTPTypes
import LupineCore
import LupineFraming

/// The end of a response that libcurl reports as a success, checked for a complete body.
///
/// libcurl also reports a success if an HTTP/2 connection fails within a body, and if TLS ends without close_notify. It
/// does not expose END_STREAM.
struct ResponseEnd {
  /// How the end of the body is determined (RFC 9112 section 6.3, RFC 9113 section 8.1).
  enum Framing: Equatable {
    /// By the head: there is no body.
    case head
    /// By the number of bytes.
    case length(Int64)
    /// By the last chunk.
    case chunks
    /// By END_STREAM.
    case stream
    /// By the end of the connection.
    case close
  }

  let framing: Framing
  /// The number of bytes of the body that have arrived.
  let received: Int64
  /// Whether the last chunk has arrived; true for a body without chunks.
  var hasLastChunk = true
  /// Whether libcurl itself closed the connection when it reported the end.
  var isConnectionClosed = false
  /// Whether TLS ended with close_notify; nil for a connection without TLS.
  var hasCloseNotify: Bool?
  /// Whether the session accepts that TLS ended without close_notify.
  var isMissingCloseNotifyTolerated = false
  /// Whether the error names `missingCloseNotify`, which would accept it.
  var advisesTolerance = false

  /// The error if the body is not proven complete; nil if it is complete.
  var failure: LupineError? {
    switch framing {
    case .length(let length) where received != length:
      Self.lost("\(received) of \(length) bytes of the body have arrived.")
    case .chunks where !hasLastChunk: Self.lost("The last chunk of the body has not arrived.")
    case .stream where isConnectionClosed:
      Self.lost(
        "The HTTP/2 connection ended with the body, so it is not certain that the server sent END_STREAM "
          + "(RFC 9113 section 8.1). Use HTTP/1.1.")
    case .close where hasCloseNotify == false && !isMissingCloseNotifyTolerated:
      Self.lost(
        "TLS ended without close_notify, and nothing else shows that the body is complete (RFC 9112 section 9.8)."
          + (advisesTolerance ? " \(ResponseTolerances.missingCloseNotify.advice)" : ""))
    default: nil
    }
  }

  /// Records how the TLS connection of the exchange has ended.
  mutating func record(_ closing: ClosingTLS?) {
    hasCloseNotify = closing?.hasCloseNotify == true
    guard let closing, closing.isBetweenRecords else { return }
    isMissingCloseNotifyTolerated = closing.isMissingCloseNotifyTolerated
    advisesTolerance = closing.advisesTolerance
  }

  private static func lost(_ reason: String) -> LupineError {
    LupineError(.connectionLost, "The connection ended before the response did. \(reason)")
  }
}

extension ResponseEnd.Framing {
  init(_ head: ReceivedHead, to method: HTTPRequest.Method) {
    switch head.framing(to: method) {
    case .none: self = .head
    case .length(let length): self = .length(length)
    case .chunked: self = .chunks
    case .untilClose: self = head.statusLine.isMultiplexed ? .stream : .close
    }
  }

  /// Whether the body is complete after this number of bytes, whatever follows.
  func isReached(by received: Int64) -> Bool {
    switch self {
    case .head: true
    case .length(let length): received == length
    case .chunks, .stream, .close: false
    }
  }
}

/// Finds the end of a challenge's content that libcurl does not pass on, because it answers the challenge itself.
struct ChallengeContent {
  private var chunks: ChunkReader?
  /// The number of bytes that are still missing according to Content-Length; `nil` without a known length.
  private var remaining: Int64?
  /// Whether bytes followed the end of the content, or the end could not be determined.
  private(set) var hasSurplus = false

  init(_ head: ReceivedHead, isEmpty: Bool, _ context: TransferContext) {
    if isEmpty {
      remaining = 0
    } else if head.isChunked {
      // The next round continues on the connection, which must not happen after content that is read with tolerance.
      chunks = ChunkReader(context.limits)
    } else {
      remaining = head.contentLength
    }
  }

  /// Whether the end of the content has not arrived; false for content that the end of the connection delimits.
  var isUnfinished: Bool {
    if let remaining { return remaining > 0 }
    return chunks?.isFinished == false
  }

  /// Records that libcurl has discarded bytes after the end.
  mutating func recordSurplus() { hasSurplus = true }

  /// Processes raw bytes of the content.
  mutating func process(_ bytes: UnsafeRawBufferPointer) {
    if let remaining {
      self.remaining = remaining - Int64(bytes.count)
      if remaining < bytes.count { hasSurplus = true }
    } else if chunks != nil {
      hasSurplus = hasSurplus || !isWithinChunks(bytes)
    }
  }

  private mutating func isWithinChunks(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    do throws(LupineError) { while try chunks?.next(in: bytes, from: &position) != nil {} } catch { return false }
    return position == bytes.count
  }
}
