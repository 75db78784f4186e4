public import LupineCore

/// Changes a request before it is sent, as by adding a token; runs again on every attempt.
///
/// It does not see the response: what needs it is an `Interceptor`. It may be called concurrently for different requests.
/// What it throws ends the request with kind `adaptationFailed`; a `LupineError` is passed on as it is.
public protocol RequestAdapter: Sendable {
  /// Where the secret may go that it adds: `Session.Builder.build()` refuses a session's adapter whose scope names what is
  /// no origin, or the base URL where there is none.
  ///
  /// Default: `nil`, for one that adds no secret or decides otherwise.
  var credentialScope: CredentialScope? { get }

  /// Returns the request as it should be sent.
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest
}

extension RequestAdapter {
  /// None.
  public var credentialScope: CredentialScope? { nil }
}
