public import LupineCore

/// Changes a request before it is sent, for example adds a token; called on every attempt.
///
/// An adapter does not receive the response; use an `Interceptor` for that. It may be called concurrently for different
/// requests. An error that it throws ends the request with kind `adaptationFailed`; a `LupineError` is passed on
/// unchanged.
public protocol RequestAdapter: Sendable {
  /// The origins that the adapter's secret may be sent to.
  ///
  /// `Session.Builder.build()` throws if the scope of a session's adapter contains an invalid origin, or is the base
  /// URL and there is none.
  ///
  /// Default: `nil`, for an adapter that adds no secret or checks the origin itself.
  var credentialScope: CredentialScope? { get }

  /// Returns the request to send.
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest
}

extension RequestAdapter {
  /// Returns `nil`.
  public var credentialScope: CredentialScope? { nil }
}
