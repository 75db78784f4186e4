import HTTPTypes
public import LupineCore
public import LupineSession

extension OAuthToken: AuthenticationCredential {}

/// Adds OAuth tokens to requests and renews them, for an `AuthenticationInterceptor`.
public struct OAuthAuthenticator: Authenticator {
  /// The grant that renews a token.
  public enum Renewal: Sendable, Hashable {
    /// The refresh token (RFC 6749 section 6).
    case refreshToken
    /// The client's identifier and secret (RFC 6749 section 4.4).
    case clientCredentials(scope: String? = nil)
  }

  private let client: OAuthClient
  private let renewal: Renewal
  private let onRenewal: @Sendable (OAuthToken) async -> Void

  /// Creates an authenticator that renews tokens with a client.
  ///
  /// - Parameter onRenewal: receives every new token, for example to store it. Many servers accept a refresh token only
  ///   once. It is not called if a log-out or another login came before the new token. It is called in the task of the
  ///   renewal, one token after another; the requests that need the token wait until it returns.
  public init(
    _ client: OAuthClient, renewal: Renewal = .refreshToken,
    onRenewal: @escaping @Sendable (OAuthToken) async -> Void = { _ in }
  ) {
    self.client = client
    self.renewal = renewal
    self.onRenewal = onRenewal
  }

  /// Sets `Authorization`.
  public func apply(_ credential: OAuthToken, to request: inout OutgoingRequest) {
    request.headers[.authorization] = "Bearer \(credential.accessToken)"
  }

  /// Requests a new token; the refresh token is kept if the server sends no other.
  ///
  /// - Throws: `LupineError` of kind `missingCredential` if a refresh token is required and there is none, or an error
  ///   of `OAuthClient.token(_:for:)`.
  public func refresh(_ credential: OAuthToken, for session: Session) async throws -> OAuthToken {
    try await client.token(grant(credential), for: session).keeping(credential.refreshToken)
  }

  /// Passes a new token to `onRenewal`.
  public func didRefresh(_ credential: OAuthToken) async { await onRenewal(credential) }

  private func grant(_ credential: OAuthToken) throws(LupineError) -> OAuthGrant {
    switch renewal {
    case .clientCredentials(let scope): return .clientCredentials(scope: scope)
    case .refreshToken:
      guard let token = credential.refreshToken else {
        throw LupineError(.missingCredential, "The token has expired and has no refresh token; log in again.")
      }
      return .refreshToken(token)
    }
  }
}

extension OAuthToken {
  fileprivate func keeping(_ refreshToken: String?) -> OAuthToken {
    OAuthToken(
      accessToken: accessToken, refreshToken: self.refreshToken ?? refreshToken, expires: expires, scope: scope,
      renewal: renewal)
  }
}

extension Plugin where Self == AuthenticationInterceptor<OAuthAuthenticator> {
  /// Tokens from the client credentials grant (RFC 6749 section 4.4).
  ///
  /// The first token is requested before the first request.
  ///
  /// - Parameter scope: the servers that may receive the tokens. Default: the origin of the session's base URL.
  public static func oauth(
    _ client: OAuthClient, requesting requested: String? = nil, to scope: CredentialScope = .baseURL
  ) -> AuthenticationInterceptor<OAuthAuthenticator> {
    AuthenticationInterceptor(
      OAuthAuthenticator(client, renewal: .clientCredentials(scope: requested)), credential: OAuthToken.none, to: scope)
  }

  /// A token that is renewed with its refresh token (RFC 6749 section 6).
  ///
  /// - Parameters:
  ///   - scope: the servers that may receive the token. Default: the origin of the session's base URL.
  ///   - onRenewal: receives every new token, for example to store it, as `OAuthAuthenticator` describes.
  public static func oauth(
    _ client: OAuthClient, renewing token: OAuthToken, to scope: CredentialScope = .baseURL,
    onRenewal: @escaping @Sendable (OAuthToken) async -> Void = { _ in }
  ) -> AuthenticationInterceptor<OAuthAuthenticator> {
    AuthenticationInterceptor(OAuthAuthenticator(client, onRenewal: onRenewal), credential: token, to: scope)
  }
}
