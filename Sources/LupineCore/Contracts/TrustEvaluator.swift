/// Judges a server's certificates.
///
/// Synchronous, because TLS asks in the middle of its handshake, on the transport's thread: it must not block on the
/// network. It returns where the server is to be trusted and throws where it is not; what it throws becomes the
/// `underlying` error of kind `certificateRejected`. It may be called concurrently.
public protocol TrustEvaluator: Sendable {
  /// Judges one server.
  func evaluate(_ trust: ServerTrust) throws
}
