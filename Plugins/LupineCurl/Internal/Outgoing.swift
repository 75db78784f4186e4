import LupineCore

/// The request's side of an exchange.
struct Outgoing {
  var reader: (any BodyReader)?
  /// Bytes still to be sent, where the length is known.
  var remaining: Int64?
  /// Whether libcurl waits for the reader to have bytes.
  var isPaused = false
  /// Whether anything of the body has been handed to libcurl.
  var hasBegun = false
  /// Whether all of it has been.
  var isComplete = false
  /// Whether the rest is not sent, because the response is complete without it.
  var isAbandoned = false
}
