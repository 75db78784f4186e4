import HTTPTypes
import LupineCore

/// The response's side of an exchange.
struct Incoming {
  var head: HeadReader
  var writer: IncomingBodyWriter?
  /// A challenge that libcurl may be about to answer: another head follows then, and otherwise this one is the response's.
  var held: (head: HTTPResponse, framing: Framing)?
  /// Whether the sink has no room.
  var isPaused = false
  /// Whether the sink has bytes of which a consumer who waits has not heard.
  var isUndelivered = false
  /// Whether a 100 has come.
  var hasContinue = false

  init(_ submission: Submission, _ names: FieldNames) {
    let request = submission.request
    head = HeadReader(
      submission.context.limits, names,
      mayBeMultiplexed: request.options.version == .http2
        || (request.options.version == nil && request.url.scheme == .https))
  }
}
