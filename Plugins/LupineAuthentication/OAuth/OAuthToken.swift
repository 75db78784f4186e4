public import FoundationEssentials
public import LupineCore

/// An access token with what renews it (RFC 6749 section 1.4).
///
/// It can be stored; whoever reads it can use it. Its description hides all of it.
public struct OAuthToken: Sendable, Hashable, Codable, HidesSecrets {
  /// What goes on requests, after `Bearer`.
  public let accessToken: String
  /// What buys the next token; `nil` where there is none.
  public let refreshToken: String?
  /// When the server will refuse it; `nil` where it did not say.
  public let expires: Date?
  /// What it is good for, where the server said so.
  public let scope: String?
  /// When it is renewed before it is used.
  let renewal: Date?

  /// Describes a token.
  ///
  /// - Parameters:
  ///   - accessToken: what goes on requests.
  ///   - refreshToken: what buys the next one.
  ///   - expires: when the server will refuse it; it is renewed half a minute before that.
  ///   - scope: what it is good for.
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

  /// The token that nobody has yet: it is renewed before its first use.
  static let none = OAuthToken(accessToken: "", expires: .distantPast)

  /// The type's name alone.
  public var description: String { "OAuthToken" }

  /// Whether it is about to expire, and better renewed before it is used.
  public func requiresRefresh(at date: Date) -> Bool { renewal.map { $0 <= date } ?? false }
}
