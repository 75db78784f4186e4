import LupineCore

/// The response's side of an exchange.
struct Incoming {
  var writer: IncomingBodyWriter?
  /// What ends the body, once the final head is there.
  var framing: ResponseEnd.Framing?
  /// Whether the sink has no room.
  var isPaused = false
  /// Whether the sink has bytes of which a consumer who waits has not heard.
  var isUndelivered = false
  /// Bytes of the body that were handed on.
  var taken: Int64 = 0
  /// Whether a 100 has come.
  var hasContinue = false
}
