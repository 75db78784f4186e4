/// How much of a request's body a stub takes before it answers.
public enum RequestReading: Sendable, Hashable {
  /// All of it; conditions and closures see it.
  case whole
  /// So many bytes, or fewer where the body ends before.
  ///
  /// The rest is never taken, as by a server that refuses an upload early. Conditions see no body, so one of the body is
  /// never met; a closure and `MockTransport.requests` see what was taken.
  case first(bytes: Int)
}

extension RequestReading {
  /// The most bytes that are taken.
  var limit: Int {
    switch self {
    case .whole: .max
    case .first(let count): max(0, count)
    }
  }
}
