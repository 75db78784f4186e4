extension ScriptedServer {
  /// Something that a client sent and that is not a whole HTTP/1.1 request.
  ///
  /// The server answers a malformed one with 400 and closes the connection.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// Which connection it came on, counted from 0.
    public let connection: Int
    /// Which request of the connection it would have been, counted from 0.
    public let index: Int
    /// What was wrong, as a sentence.
    public let reason: String

    /// A line with all three.
    public var description: String { "Connection \(connection), request \(index): \(reason)" }
  }
}
