public import LupineCore
public import LupineFoundation

/// An access token and its refresh token (RFC 6749 section 1.4).
///
/// A token can be stored as `Codable`; the encoded form contains the secrets. The description omits them.
public struct OAuthToken: Sendable, Hashable, Codable, HidesSecrets {
  /// The access token, which follows `Bearer` in `Authorization`.
  public let accessToken: String
  /// The refresh token; `nil` if there is none.
  public let refreshToken: String?
  /// The time at which the token expires; `nil` if it is unknown.
  public let expires: Date?
  /// The scope of the token, if the server sent it.
  public let scope: String?
  /// The time from which the token is renewed before it is used.
  let renewal: Date?

  /// Creates a token.
  ///
  /// - Parameters:
  ///   - accessToken: the access token.
  ///   - refreshToken: the refresh token.
  ///   - expires: the time at which the token expires; it is renewed 30 seconds before that.
  ///   - scope: the scope of the token.
  public init(accessToken: String, refreshToken: String? = nil, expires: Date? = nil, scope: String? = nil) {
    self.init(
      accessToken: accessToken, refreshToken: refreshToken, expires: expires, scope: scope,
      renewal: expires?.addingTimeInterval(-30))
  }

  init(accessToken: String, refreshToken: String?, expires: Date?, scope: String?, renewal: Date?) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expires = expires
    self.scope = scope
    self.renewal = renewal
  }

  /// A placeholder that is renewed before its first use.
  static let none = OAuthToken(accessToken: "", expires: .distantPast)

  /// The type's name only.
  public var description: String { "OAuthToken" }

  /// Whether the token must be renewed before it is used at this time.
  public func requiresRefresh(at date: Date) -> Bool { renewal.map { $0 <= date } ?? false }
}

/// The response of an authorization server (RFC 6749 sections 5.1 and 5.2).
struct OAuthResponse: Decodable {
  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case refreshToken = "refresh_token"
    case scope, error
    case errorDescription = "error_description"
  }

  let accessToken: String?
  let tokenType: String?
  /// The lifetime in seconds; some servers send the number as a string.
  let expiresIn: Double?
  let refreshToken: String?
  let scope: String?
  /// The code of a refusal; empty if the server sends something other than text.
  let error: String?
  /// The text for developers about a refusal.
  let errorDescription: String?

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    accessToken = try values.decodeIfPresent(String.self, forKey: .accessToken)
    tokenType = try values.decodeIfPresent(String.self, forKey: .tokenType)
    expiresIn =
      try (try? values.decodeIfPresent(Double.self, forKey: .expiresIn))
      ?? values.decodeIfPresent(String.self, forKey: .expiresIn).flatMap(Double.init)
    refreshToken = try values.decodeIfPresent(String.self, forKey: .refreshToken)
    // Some servers send an array instead of a text with spaces.
    scope =
      (try? values.decodeIfPresent(String.self, forKey: .scope))
      ?? (try? values.decodeIfPresent([String].self, forKey: .scope))?.joined(separator: " ")
    let hasError = values.contains(.error) && (try? values.decodeNil(forKey: .error)) == false
    error = hasError ? (try? values.decode(String.self, forKey: .error)) ?? "" : nil
    errorDescription = try? values.decodeIfPresent(String.self, forKey: .errorDescription)
  }

  /// Returns the bearer token; `nil` if there is none or a field cannot contain it.
  func token(now: Date) -> OAuthToken? {
    guard let accessToken, !accessToken.isEmpty, accessToken.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      tokenType?.lowercased() == "bearer"
    else { return nil }
    // Some servers send 0 for a token that does not expire.
    let life = expiresIn.flatMap { $0.isFinite && $0 > 0 ? min($0, 1e9) : nil }
    return OAuthToken(
      accessToken: accessToken, refreshToken: refreshToken, expires: life.map(now.addingTimeInterval), scope: scope,
      // Renewal takes place 30 seconds before the end; for a lifetime under 2 minutes, after three quarters of it.
      renewal: life.map { now.addingTimeInterval($0 - min(30, $0 / 4)) })
  }
}
