/// How much of a request's body a stub reads before it answers.
public enum RequestReading: Sendable, Hashable {
  /// The whole body; conditions and closures see it.
  case whole
  /// At most this number of bytes.
  ///
  /// The rest is never read, like with a server that refuses an upload early. Conditions see no body, so a condition on
  /// the body is never met. A closure and `MockTransport.requests` see the bytes that were read.
  case first(bytes: Int)
}

extension RequestReading {
  /// The maximum number of bytes that are read.
  var limit: Int {
    switch self {
    case .whole: .max
    case .first(let count): max(0, count)
    }
  }
}
