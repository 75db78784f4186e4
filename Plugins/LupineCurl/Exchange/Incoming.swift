import LupineCore
import LupineFraming

/// The response of an exchange: where its body ends, and how much of it has been passed on.
///
/// libcurl's chunk parser is not used: it accepts chunks that RFC 9112 does not allow.
struct Incoming {
  var writer: ResponseBodyWriter?
  /// How the body ends; nil before the final head has arrived.
  private(set) var framing: ResponseEnd.Framing?
  /// Whether the sink has no room.
  private(set) var isPaused = false
  /// Whether the exchange has used its share of the turn and continues in the next one.
  private(set) var isYielding = false
  /// Shows how TLS ends, if only the end of the connection ends the body.
  var closing: ClosingTLS?
  /// Whether a 100 response has arrived.
  var hasContinue = false
  /// The number of bytes of the body that have been passed on, without chunk framing.
  private(set) var byteCount: Int64 = 0
  /// The work of the current turn, in bytes.
  private var turnWork = 0
  /// Whether the sink has bytes of which a waiting consumer has not been notified.
  private var hasUndeliveredBytes = false
  /// Decodes the chunks; nil for a body without chunks.
  private var chunks: ChunkReader?
  /// The number of processed bytes in the piece that libcurl passes again after a pause.
  private var resumeOffset = 0

  /// The number of bytes that an exchange may receive in one turn of the loop.
  private static let maximumPerTurn = 4 << 20
  /// The fixed cost of one piece, in bytes.
  private static let costOfPiece = 512

  /// The result of a piece.
  struct Progress {
    /// Whether the content has ended.
    var hasEnded = false
    /// Whether bytes follow the end.
    var hasSurplus = false
    /// Whether libcurl must keep the piece and pass it again.
    var isKept = false
  }

  /// Prepares for the content that follows a final head.
  mutating func begin(
    _ framing: ResponseEnd.Framing, _ limits: Limits, tolerating tolerances: ResponseTolerances = []
  ) {
    self.framing = framing
    chunks = framing == .chunks ? ChunkReader(limits, tolerating: tolerances) : nil
  }

  /// Whether the response is the last one of its connection, because of what its chunks or its lines needed.
  func endsConnection(after tolerated: ResponseTolerances) -> Bool {
    tolerated.endsConnection || chunks?.tolerated.endsConnection == true
  }

  /// Whether libcurl must keep received bytes.
  var mustPause: Bool { isPaused || isYielding }

  /// Whether the body is complete, whatever follows.
  var hasReachedEnd: Bool { framing?.isReached(by: byteCount) == true }

  /// The end of a response that libcurl reports as complete; nil before the final head has arrived.
  var end: ResponseEnd? {
    guard let framing else { return nil }
    var end = ResponseEnd(framing: framing, received: byteCount)
    end.hasLastChunk = chunks?.isFinished ?? true
    return end
  }

  /// Passes the content of a piece to the sink.
  ///
  /// libcurl passes the raw bytes of chunks. If the exchange pauses within such a piece, libcurl passes the same piece
  /// again, and the exchange continues behind the content that it has passed on.
  ///
  /// - Parameter isSlow: whether the current call of libcurl takes too long; the exchange then yields.
  mutating func pass(
    _ piece: UnsafeRawBufferPointer, to writer: ResponseBodyWriter, trailersTo headReader: inout HeadReader,
    isSlow: @autoclosure () -> Bool
  ) throws(LupineError) -> Progress {
    hasUndeliveredBytes = true
    var progress = Progress()
    guard chunks != nil else {
      let content = withinLength(piece)
      progress.hasSurplus = content.count < piece.count
      // The count includes a piece that fails, for example because of a limit or a full disk.
      byteCount += Int64(content.count)
      progress.hasEnded = hasReachedEnd
      if !content.isEmpty { try write(content, to: writer, isSlow()) }
      return progress
    }
    var position = min(resumeOffset, piece.count)
    resumeOffset = 0
    while let element = try chunks?.next(in: piece, from: &position) {
      switch element {
      case .content(let range):
        byteCount += Int64(range.count)
        try write(UnsafeRawBufferPointer(rebasing: piece[range]), to: writer, isSlow())
        guard mustPause else { continue }
        resumeOffset = position
        progress.isKept = true
        return progress
      case .trailer(let line): try Self.receive(line, headReader: &headReader)
      case .end: progress.hasEnded = true
      }
    }
    progress.hasSurplus = position < piece.count
    // A piece without content counts as work as well.
    isYielding = usesUpTurn(with: 0) || isSlow()
    return progress
  }

  /// The bytes of a piece up to the length of the body; libcurl ignores a length beside `Transfer-Encoding: identity`.
  private func withinLength(_ piece: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard case .length(let length)? = framing, Int64(piece.count) > length - byteCount else { return piece }
    return UnsafeRawBufferPointer(rebasing: piece.prefix(Int(clamping: length - byteCount)))
  }

  private mutating func write(
    _ content: UnsafeRawBufferPointer, to writer: ResponseBodyWriter, _ isSlow: @autoclosure () -> Bool
  ) throws(LupineError) {
    if try writer.write(content, hasMore: true) == .pause {
      isPaused = true
    } else {
      isYielding = usesUpTurn(with: content.count) || isSlow()
    }
  }

  private static func receive(_ trailer: [UInt8], headReader: inout HeadReader) throws(LupineError) {
    let processed = trailer.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try headReader.process(bytes) }
    }
    _ = try processed.get()
  }

  /// Counts a piece; true if the exchange has used its share of the turn.
  private mutating func usesUpTurn(with count: Int) -> Bool {
    turnWork += count + Self.costOfPiece
    return turnWork >= Self.maximumPerTurn
  }

  /// Notifies the consumer of the bytes that arrived in this turn; the end of a body sends its own notification.
  mutating func deliver() {
    guard hasUndeliveredBytes else { return }
    hasUndeliveredBytes = false
    turnWork = 0
    writer?.deliver()
  }

  /// Continues because the sink has room; returns false if it was not paused.
  mutating func resume() -> Bool {
    defer { isPaused = false }
    return isPaused
  }

  /// Continues in a new turn; returns false if the exchange has not used up an earlier one.
  mutating func resumeAfterYield() -> Bool {
    defer { isYielding = false }
    return isYielding
  }
}
