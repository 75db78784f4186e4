import LupineCore

/// The state of an exchange's request.
struct Outgoing {
  var reader: (any BodyReader)?
  /// Whether the reader of the body is created only after the tunnel exists.
  var isUnopened = false
  /// The number of bytes still to be sent; nil if the length is not known.
  var remaining: Int64?
  /// Whether libcurl waits for bytes from the reader.
  var isPaused = false
  /// The number of bytes of the body that libcurl has read.
  var taken: Int64 = 0
  /// Whether the rest of the body is not sent, because the server has already responded.
  var isAbandoned = false
  /// Whether the response is complete although the body is still being sent.
  var isUnwanted = false
  /// The number of the request's HTTP/2 stream; nil before it has one.
  var stream: UInt32?
  /// The last stream that the server processes, from its GOAWAY frame; nil before that.
  var lastStream: UInt32?
  /// Whether the server has reported that it did not process the request.
  var isUnprocessed = false
}
