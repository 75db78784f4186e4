public import FoundationEssentials
public import LupineCore

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
