import FoundationEssentials

/// The response of an authorization server (RFC 6749 sections 5.1 and 5.2).
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
  /// The lifetime in seconds; some servers send the number as a string.
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
