public import HTTPTypes
public import LupineCore
public import LupineFoundation

/// Applies a credential to a request, refreshes it, and recognizes its refusal by a server.
///
/// The methods may be called concurrently, but an `AuthenticationInterceptor` makes only one call of `refresh` at a
/// time.
public protocol Authenticator<Credential>: Sendable {
  /// The type of the credential.
  associatedtype Credential: AuthenticationCredential

  /// Adds the credential to the request, usually in `Authorization`.
  ///
  /// Mark a field of another name with `Session.Builder.secretField`, so that it is not sent to other origins.
  func apply(_ credential: Credential, to request: inout OutgoingRequest)

  /// Returns a new credential to replace one that has expired or was refused.
  ///
  /// Requests made with this session during the refresh are sent without a credential from the interceptor. The
  /// session's retriers apply to them. If the refresh fails, the interceptor does not call the method again for the
  /// waiting requests. The call is cancelled when another credential is set, for example at logout.
  func refresh(_ credential: Credential, for session: Session) async throws -> Credential

  /// Called with the refreshed credential, for example to store it, before the waiting requests continue.
  ///
  /// Not called if another credential was set during the refresh. The call is cancelled if another credential is set
  /// while it runs. Default: does nothing.
  func didRefresh(_ credential: Credential) async

  /// Whether the response means that the server refuses the request's credential.
  ///
  /// Called with the response of a failed attempt; not called if a serializer failed.
  ///
  /// Default: `true` if the status is 401.
  func didRequest(_ request: OutgoingRequest, failDueToAuthenticationError response: HTTPResponse) -> Bool
}

extension Authenticator {
  /// Does nothing.
  public func didRefresh(_ credential: Credential) async {}

  /// Whether the status is 401.
  public func didRequest(
    _ request: OutgoingRequest, failDueToAuthenticationError response: HTTPResponse
  ) -> Bool {
    response.status == .unauthorized
  }
}

/// A credential of an `AuthenticationInterceptor`, such as an access token with its refresh token.
public protocol AuthenticationCredential: Sendable {
  /// Whether to refresh the credential before its next use, for example shortly before it expires.
  ///
  /// A refreshed credential may require a refresh as soon as it arrives, for example because the clocks of the server
  /// and of this machine differ. It is then used until the server refuses it, so that not every request causes a
  /// refresh.
  ///
  /// Called in tasks of requests and of refreshes, concurrently, without a lock. Default: `false`; the
  /// credential is then refreshed when the server refuses it.
  func requiresRefresh(at date: Date) -> Bool
}

extension AuthenticationCredential {
  /// Returns `false`.
  public func requiresRefresh(at date: Date) -> Bool { false }
}
