import LupineCore
import LupineFraming

/// The response's side of an exchange.
struct Incoming {
  var writer: ResponseBodyWriter?
  /// What ends the body, once the final head is there.
  var framing: ResponseEnd.Framing?
  /// Whether the sink has no room.
  var isPaused = false
  /// Whether the exchange has had its share of the turn, and goes on in the next.
  var isYielding = false
  /// The work of the turn so far, in bytes.
  var share = 0
  /// Whether the sink has bytes of which a consumer who waits has not heard.
  var isUndelivered = false
  /// Finds the content among chunks, in a body that has any.
  var chunks: ChunkReader?
  /// How much of the piece that libcurl hands over again after a pause has been taken.
  var resumption = 0
  /// Bytes of the body that were handed on, without the frame of chunks.
  var taken: Int64 = 0
  /// Whether a 100 has come.
  var hasContinue = false

  /// Whether libcurl is to keep what it has.
  var isHeldBack: Bool { isPaused || isYielding }

  /// Counts a piece, and says whether others are to come before the next one.
  mutating func hasHadShare(with count: Int) -> Bool {
    share += count + Self.costOfPiece
    return share >= Self.turn
  }

  /// The bytes that an exchange may receive in one turn of the loop.
  private static let turn = 4 << 20
  /// The fixed cost of one piece, in bytes.
  private static let costOfPiece = 512
}
