import FoundationEssentials

/// What an authorization server answers (RFC 6749 sections 5.1 and 5.2).
struct OAuthAnswer: Decodable {
  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case refreshToken = "refresh_token"
    case scope, error
  }

  let accessToken: String?
  let tokenType: String?
  /// Seconds; some servers write the number as text.
  let expiresIn: Double?
  let refreshToken: String?
  let scope: String?
  let error: String?

  init?(_ data: Data) {
    guard let answer = try? JSONDecoder().decode(OAuthAnswer.self, from: data) else { return nil }
    self = answer
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    accessToken = try values.decodeIfPresent(String.self, forKey: .accessToken)
    tokenType = try values.decodeIfPresent(String.self, forKey: .tokenType)
    expiresIn =
      try (try? values.decodeIfPresent(Double.self, forKey: .expiresIn))
      ?? values.decodeIfPresent(String.self, forKey: .expiresIn).flatMap(Double.init)
    refreshToken = try values.decodeIfPresent(String.self, forKey: .refreshToken)
    scope = try values.decodeIfPresent(String.self, forKey: .scope)
    error = try values.decodeIfPresent(String.self, forKey: .error)
  }

  /// The token, where it is one that a field can carry.
  func token(now: Date) -> OAuthToken? {
    guard let accessToken, !accessToken.isEmpty, accessToken.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      tokenType?.lowercased() == "bearer"
    else { return nil }
    // Servers that know no end say 0; a token without any life would be of no use to anybody.
    let life = expiresIn.flatMap { $0.isFinite && $0 > 0 ? min($0, 1e9) : nil }
    return OAuthToken(
      accessToken: accessToken, refreshToken: refreshToken, expires: life.map(now.addingTimeInterval), scope: scope,
      // Half a minute before its end, or where it lives not even two, after three quarters of its life.
      renewal: life.map { now.addingTimeInterval($0 - min(30, $0 / 4)) })
  }
}
