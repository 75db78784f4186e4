/// Answers a server's challenge (RFC 9110 section 11.3) with a credential.
///
/// It does not send the request again: the session does, once for each credential.
public protocol AuthenticationScheme: Sendable {
  /// The scheme's name, such as `Basic`; compared without regard to case.
  var name: String { get }
  /// How much the scheme is to be preferred where a server offers several; the greatest wins.
  var strength: Int { get }
  /// The value of `Authorization` for this request; `nil` where the scheme cannot answer this challenge.
  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, for request: OutgoingRequest
  ) async throws -> String?
}
