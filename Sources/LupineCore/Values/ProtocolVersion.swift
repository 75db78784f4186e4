/// A version of HTTP, used or requested.
public enum ProtocolVersion: String, Sendable, Hashable {
  /// HTTP/1.0.
  case http1_0 = "HTTP/1.0"
  /// HTTP/1.1 (RFC 9112).
  case http1_1 = "HTTP/1.1"
  /// HTTP/2 (RFC 9113).
  case http2 = "HTTP/2"
  /// HTTP/3 (RFC 9114).
  case http3 = "HTTP/3"
}
