import CLibcurl
import COpenSSL
import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming

/// Finds the end of a response's content in HTTP/1.1.
///
/// libcurl's chunk parser is not used: it accepts chunks that RFC 9112 does not allow.
extension Exchange {
  /// Prepares for the content that follows a head.
  ///
  /// - Throws: kind `malformedResponse` if the status line has the version of another protocol than the connection's.
  func expectContent(after head: ReceivedHead) throws(LupineError) {
    guard !head.statusLine.isMultiplexed || mayHaveStreams else {
      throw LupineError(
        .malformedResponse,
        "The response violates HTTP: its status line has HTTP/2, and the connection has HTTP/1.1. It is closed.")
    }
    let framing = ResponseEnd.Framing(head, to: submission.method)
    incoming.framing = framing
    incoming.chunks = nil
    if framing == .close { keepHandshake() }
    guard let easy, !head.statusLine.isMultiplexed else { return }
    if easy.fields?.endConnection == true { easy.forbidReuse() }
    let isEmpty = framing.isReached(by: 0)
    if isEmpty {
      easy.set(isVerbose: true)
      contentHasEnded(easy)
    } else if framing == .chunks {
      incoming.chunks = ChunkReader(context.limits)
    }
    guard head.isChallenge, isAnswered(byLibcurl: head.statusLine.code) else { return }
    easy.set(isVerbose: true)
    connectionSetup().challengeContent = ChallengeContent(head, isEmpty: isEmpty, context.limits)
  }

  /// Discards the content of a challenge that libcurl answers.
  ///
  /// libcurl would continue on the connection in both of the error cases.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` if bytes follow the content or the content is not complete.
  func finishChallengeContent(_ setup: ConnectionSetup, _ easy: Easy) throws(LupineError) {
    let content = setup.challengeContent.take()
    if content?.hasSurplus == true || hasDecrypted(easy) { throw MalformedChallenge.surplus.error }
    if content?.isUnfinished == true { throw MalformedChallenge.unfinished.error }
  }

  /// Processes a piece of a chunked body; returns its size, or the code that makes libcurl keep it.
  ///
  /// libcurl passes the raw bytes. If the exchange pauses within a piece, libcurl passes the same piece again, and
  /// `resumeOffset` is the position to continue at.
  func receive(
    chunks piece: UnsafeRawBufferPointer, _ writer: ResponseBodyWriter, _ easy: Easy
  ) throws(LupineError) -> Int {
    // Moved out to avoid an exclusivity check for each access.
    guard var reader = incoming.chunks.take() else { return piece.count }
    var position = min(incoming.resumeOffset, piece.count)
    incoming.resumeOffset = 0
    defer { incoming.chunks = reader }
    while let element = try reader.next(in: piece, from: &position) {
      switch element {
      case .content(let range):
        incoming.byteCount += Int64(range.count)
        if try writer.write(UnsafeRawBufferPointer(rebasing: piece[range]), hasMore: true) == .pause {
          incoming.isPaused = true
        } else {
          yieldIfTurnIsUsedUp(by: range.count)
        }
        guard incoming.mustPause else { continue }
        incoming.resumeOffset = position
        return Int(CURL_WRITEFUNC_PAUSE)
      case .trailer(let line): try receive(trailer: line, easy)
      case .end: contentHasEnded(easy)
      }
    }
    // The remaining bytes are not part of this response.
    if position < piece.count { easy.forbidReuse() }
    // A piece without content counts as work as well.
    yieldIfTurnIsUsedUp(by: 0)
    if incoming.mustPause { curl_easy_pause(easy.pointer, pauses) }
    return piece.count
  }

  private func receive(trailer line: [UInt8], _ easy: Easy) throws(LupineError) {
    let processed = line.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try easy.headReader.process(bytes) }
    }
    _ = try processed.get()
  }

  /// Whether the connection may have HTTP/2; with TLS, whether the server has selected it (RFC 9113 section 3.2).
  ///
  /// libcurl accepts a status line with HTTP/2 over a connection of HTTP/1.1 too. The content would then have no framing,
  /// and a part of it would count as the whole.
  private var mayHaveStreams: Bool {
    guard submission.isSecured, let connection = easy?.connection else { return true }
    var (name, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
    SSL_get0_alpn_selected(connection, &name, &count)
    return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
  }

  /// Closes the connection after the exchange if bytes follow the end of the content.
  ///
  /// Such bytes must not become the next response on the connection (RFC 9112 section 9.2). In HTTP/2 they belong to
  /// other streams.
  func contentHasEnded(_ easy: Easy) {
    if easy.headReader.statusLine?.isMultiplexed == false, hasDecrypted(easy) { easy.forbidReuse() }
  }

  /// Whether OpenSSL has decrypted bytes that libcurl has not read.
  ///
  /// The poller does not report such bytes.
  private func hasDecrypted(_ easy: Easy) -> Bool {
    guard submission.isSecured || route.hasSecuredProxy, let connection = easy.connection else { return false }
    return SSL_pending(connection) > 0
  }
}
