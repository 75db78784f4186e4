import LupineCore
import LupineFraming

/// The state of an exchange's response.
struct Incoming {
  var writer: ResponseBodyWriter?
  /// How the body ends; nil before the final head has arrived.
  var framing: ResponseEnd.Framing?
  /// Whether the sink has no room.
  var isPaused = false
  /// Whether the exchange has used its share of the turn and continues in the next one.
  var isYielding = false
  /// The work of the current turn, in bytes.
  var turnWork = 0
  /// Whether the sink has bytes of which a waiting consumer has not been notified.
  var hasUndeliveredBytes = false
  /// Decodes the chunks; nil for a body without chunks.
  var chunks: ChunkReader?
  /// The number of processed bytes in the piece that libcurl passes again after a pause.
  var resumeOffset = 0
  /// The number of bytes of the body that have been passed on, without chunk framing.
  var byteCount: Int64 = 0
  /// Whether a 100 response has arrived.
  var hasContinue = false

  /// Whether libcurl must keep received bytes.
  var mustPause: Bool { isPaused || isYielding }

  /// Counts a piece; true if the exchange has used its share of the turn.
  mutating func usesUpTurn(with count: Int) -> Bool {
    turnWork += count + Self.costOfPiece
    return turnWork >= Self.maximumPerTurn
  }

  /// The number of bytes that an exchange may receive in one turn of the loop.
  private static let maximumPerTurn = 4 << 20
  /// The fixed cost of one piece, in bytes.
  private static let costOfPiece = 512
}

/// The state of an exchange's request.
struct Outgoing {
  /// The reader of the request's body; `nil` if the request has none.
  var reader: (any BodyReader)?
  /// The number of bytes still to be sent; nil if the length is not known.
  var remaining: Int64?
  /// Whether libcurl waits for bytes from the reader.
  var isPaused = false
  /// The number of bytes of the body that libcurl has read.
  var byteCount: Int64 = 0
  /// Whether the rest of the body is not sent, because the server has already responded.
  var isAbandoned = false
  /// Whether the response is complete although the body is still being sent.
  var isResponseComplete = false
  /// Whether the server has closed the connection before its response, while the body waits.
  var isConnectionLost = false
  /// The number of the request's HTTP/2 stream; nil before it has one.
  var stream: UInt32?
  /// The last stream that the server processes, from its GOAWAY frame; nil before that.
  var lastStream: UInt32?
  /// Whether the server has reported that it did not process the request.
  var isUnprocessed = false
}
