import HTTPTypes
import LupineCore

/// The response's side of an exchange.
struct Incoming {
  var writer: IncomingBodyWriter?
  /// A challenge that libcurl may be about to answer: another head follows then, and otherwise this one is the response's.
  var held: (head: HTTPResponse, framing: Framing)?
  /// Whether the sink has no room.
  var isPaused = false
  /// Whether the sink has bytes of which a consumer who waits has not heard.
  var isUndelivered = false
  /// Whether a 100 has come.
  var hasContinue = false
}
