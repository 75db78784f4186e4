public import LupineCore

/// An authorization grant for a token (RFC 6749 section 1.3).
public enum OAuthGrant: Sendable, Hashable {
  /// The client's identifier and secret (RFC 6749 section 4.4).
  case clientCredentials(scope: String? = nil)
  /// A refresh token (RFC 6749 section 6).
  case refreshToken(String, scope: String? = nil)

  /// The parameters of the token request.
  var parameters: [(name: String, value: String)] {
    switch self {
    case .clientCredentials(let scope):
      [("grant_type", "client_credentials")] + Self.scope(scope)
    case .refreshToken(let token, let scope):
      [("grant_type", "refresh_token"), ("refresh_token", token)] + Self.scope(scope)
    }
  }

  private static func scope(_ scope: String?) -> [(name: String, value: String)] { scope.map { [("scope", $0)] } ?? [] }
}

extension OAuthGrant: HidesSecrets {
  /// The grant type only.
  public var description: String {
    switch self {
    case .clientCredentials: "client_credentials"
    case .refreshToken: "refresh_token"
    }
  }
}
