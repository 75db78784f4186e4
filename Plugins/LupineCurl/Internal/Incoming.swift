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
  var share = 0
  /// Whether the sink has bytes of which a waiting consumer has not been notified.
  var isUndelivered = false
  /// Decodes the chunks; nil for a body without chunks.
  var chunks: ChunkReader?
  /// The number of processed bytes in the piece that libcurl passes again after a pause.
  var resumption = 0
  /// The number of bytes of the body that have been passed on, without chunk framing.
  var taken: Int64 = 0
  /// Whether a 100 response has arrived.
  var hasContinue = false

  /// Whether libcurl must keep received bytes.
  var isHeldBack: Bool { isPaused || isYielding }

  /// Counts a piece; true if the exchange has used its share of the turn.
  mutating func hasHadShare(with count: Int) -> Bool {
    share += count + Self.costOfPiece
    return share >= Self.turn
  }

  /// The number of bytes that an exchange may receive in one turn of the loop.
  private static let turn = 4 << 20
  /// The fixed cost of one piece, in bytes.
  private static let costOfPiece = 512
}
