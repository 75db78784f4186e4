/// Changes a request before it is sent, as by adding a token; runs again on every attempt.
///
/// It does not see the response: what needs it is an `Interceptor`. It may be called concurrently for different requests.
/// What it throws ends the request with kind `adaptationFailed`; a `LupineError` is passed on as it is.
public protocol RequestAdapter: Sendable {
  /// Returns the request as it should be sent.
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest
}
