/// The reason for the end of a connection before the end of its script.
enum ConnectionEnd: Error {
  /// The client closed the connection, the connection broke, or the server stopped.
  case gone
  /// The client sent bytes that are not an HTTP/1.1 request.
  case malformed(String)
  /// The client closed the connection within a request.
  case incomplete
}
