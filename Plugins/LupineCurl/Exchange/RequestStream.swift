import LupineCore

/// The HTTP/2 stream of a request, and whether its server has processed the request (RFC 9113 section 8.7).
struct RequestStream {
  /// The number of the stream; nil before the request has one.
  var number: UInt32?
  /// The last stream that the server processes, from its GOAWAY frame; nil before that.
  private var last: UInt32?
  /// Whether the server has reported that it did not process the request.
  private(set) var isUnprocessed = false

  /// Records that the server closed the stream before it processed the request.
  mutating func recordRefusal() { isUnprocessed = true }

  /// Whether the stream is above the last one that the server processes.
  var isExcluded: Bool {
    guard let number, let last else { return false }
    return number > last
  }

  /// Whether a GOAWAY frame excludes streams that no earlier one has excluded.
  func goAwayExcludesMore(above last: UInt32) -> Bool { last < self.last ?? .max }

  /// Records a GOAWAY frame: the server processes no stream above the last one (RFC 9113 section 6.8).
  mutating func record(goAwayAbove last: UInt32) {
    self.last = last
    if isExcluded { isUnprocessed = true }
  }

  static let unprocessed = LupineError(.connectionLost, "The server reported that it did not process the request.")
    .unprocessed()
}
