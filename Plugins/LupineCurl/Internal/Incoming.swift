import LupineCore
import LupineFraming

/// The response's side of an exchange.
struct Incoming {
  var writer: IncomingBodyWriter?
  /// What ends the body, once the final head is there.
  var framing: ResponseEnd.Framing?
  /// Whether the sink has no room.
  var isPaused = false
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
}
