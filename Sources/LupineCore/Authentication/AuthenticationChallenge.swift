/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.6.1).
public struct AuthenticationChallenge: Sendable, Hashable {
  /// The scheme, as the server wrote it.
  public let scheme: String
  /// The parameters, their names in lower case; the first of a repeated name counts.
  public let parameters: [String: String]
  /// What follows the scheme where it is no list of parameters (`token68`), as Negotiate has it.
  public let token: String?

  /// The protection space, where the server named one.
  public var realm: String? { parameters["realm"] }

  /// Reads all challenges of the fields' values; what is malformed is left out.
  public static func parse(_ values: [String]) -> [AuthenticationChallenge] {
    values.flatMap { value in
      var parser = ChallengeParser(value)
      return parser.parse()
    }
  }
}
