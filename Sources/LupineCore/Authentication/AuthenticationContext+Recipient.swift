public import HTTPTypes

extension AuthenticationContext {
  /// Who asks for a credential.
  public enum Recipient: Sendable, Hashable {
    /// The server that the request goes to, with 401.
    case origin
    /// A proxy at this place, with 407.
    case proxy(HTTPURL.Origin)
  }
}

extension AuthenticationContext.Recipient {
  /// The status of a challenge.
  public var challengeStatus: Int { self == .origin ? 401 : 407 }

  /// The field of an answer.
  public var answerField: HTTPField.Name { self == .origin ? .authorization : .proxyAuthorization }

  /// The field of what is said after an answer was accepted (RFC 9110 section 11.6.3).
  public var informationField: HTTPField.Name { self == .origin ? .authenticationInfo : .proxyAuthenticationInfo }
}
