import LupineCore

/// The request's side of an exchange.
struct Outgoing {
  var reader: (any BodyReader)?
  /// Whether there is a body whose reader is made once the tunnel stands.
  var isUnopened = false
  /// Bytes still to be sent, where the length is known.
  var remaining: Int64?
  /// Whether libcurl waits for the reader to have bytes.
  var isPaused = false
  /// Bytes of the body that libcurl has taken.
  var taken: Int64 = 0
  /// Whether the rest is not sent, because the server has answered without it.
  var isAbandoned = false
  /// Whether the response is complete although the body still goes out.
  var isUnwanted = false
  /// The number of the request's stream on HTTP/2, once it has one.
  var stream: UInt32?
  /// The last stream that the server acts on, once it has said GOAWAY.
  var lastStream: UInt32?
  /// Whether the server has said that it did not act on the request.
  var isUnprocessed = false
}
