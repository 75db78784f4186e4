extension ScriptedServer {
  /// Received bytes that are not a complete HTTP/1.1 request.
  ///
  /// The server answers a malformed request with 400 and closes the connection.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// The number of the connection, from 0.
    public let connection: Int
    /// The number of the request on the connection, from 0.
    public let index: Int
    /// The problem, as a sentence.
    public let reason: String

    /// The connection, the request and the problem in one line.
    public var description: String { "Connection \(connection), request \(index): \(reason)" }
  }
}
