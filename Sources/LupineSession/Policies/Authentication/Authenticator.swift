public import FoundationEssentials
public import HTTPTypes
public import LupineCore

/// Knows how a credential is put on a request, how it is refreshed, and how a server says that it refuses it.
///
/// It may be called concurrently, but `refresh` never runs twice at a time for one `AuthenticationInterceptor`.
public protocol Authenticator<Credential>: Sendable {
  /// What it works with.
  associatedtype Credential: AuthenticationCredential

  /// Puts the credential on the request, as a rule in `Authorization`.
  ///
  /// A field of another name must be marked with `Session.Builder.secretField`, so that it does not cross origins.
  func apply(_ credential: Credential, to request: inout OutgoingRequest)

  /// Returns a new credential in the place of one that has expired or was refused.
  ///
  /// Requests that it makes with this session pass the interceptor without a credential. They are retried as the
  /// session's retriers say; the interceptor itself does not call again after a failure, for the requests that wait.
  /// Cancelled once another credential is set, as by a log-out.
  func refresh(_ credential: Credential, for session: Session) async throws -> Credential

  /// Hears of what a refresh has brought, as to store it, before the requests that wait for it go on.
  ///
  /// Not called for what is of no use any more, because another credential was set during the refresh; cancelled where one is
  /// set during this call. Default: nothing.
  func didRefresh(_ credential: Credential) async

  /// Whether the response says that the server refuses the request's credential.
  ///
  /// Default: whether its status is 401.
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

/// What an `AuthenticationInterceptor` keeps and refreshes: an access token with what renews it, as a rule.
public protocol AuthenticationCredential: Sendable {
  /// Whether the credential should be refreshed before it is used again, as shortly before it expires.
  ///
  /// Default: no, so that it is refreshed when the server refuses it.
  func requiresRefresh(at date: Date) -> Bool
}

extension AuthenticationCredential {
  /// No.
  public func requiresRefresh(at date: Date) -> Bool { false }
}
