/// Why a connection ended although its script had more to do.
enum ConnectionEnd: Error {
  /// The client closed, the connection broke, or the server stopped.
  case gone
  /// The client sent what is no HTTP/1.1 request.
  case malformed(String)
  /// The client closed in the middle of a request.
  case incomplete
}
