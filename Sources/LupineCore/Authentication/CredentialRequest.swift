/// What a server asks of a program that answers challenges itself.
public struct CredentialRequest: Sendable {
  /// The request that was challenged; its query may be secret.
  public let url: HTTPURL
  /// The challenges that some scheme of the session can answer, the strongest first.
  public let challenges: [AuthenticationChallenge]
  /// How many credentials were given for this request already, all of them refused.
  public let previousFailureCount: Int

  /// Joins the parts, as a test of a provider does.
  public init(url: HTTPURL, challenges: [AuthenticationChallenge], previousFailureCount: Int = 0) {
    self.url = url
    self.challenges = challenges
    self.previousFailureCount = previousFailureCount
  }

  /// The protection space of the strongest challenge, where the server named one.
  public var realm: String? { challenges.first?.realm }
}

/// Finds a credential for a challenge; `nil` leaves the 401 as the response.
public typealias CredentialProvider = @Sendable (CredentialRequest) async throws -> Credential?
