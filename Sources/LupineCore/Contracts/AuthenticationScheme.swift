public import HTTPTypes

/// Answers a challenge (RFC 9110 section 11.3), a server's or a proxy's, with a credential.
///
/// It does not send the request again: the session does, once for each credential. It may be called for several requests
/// at once; whatever it remembers belongs to one protection space, an origin and a realm, and goes nowhere else.
public protocol AuthenticationScheme: Sendable {
  /// The scheme's name, such as `Basic`; compared without regard to case.
  var name: String { get }

  /// How much this challenge is to be preferred where a server offers several; the greatest wins.
  func strength(of challenge: AuthenticationChallenge) -> Int

  /// The value of `Authorization`, or `Proxy-Authorization`; `nil` where the scheme cannot answer this challenge.
  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String?

  /// What to send before any challenge, because the credential was accepted for this place before; `nil` by default.
  func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws -> String?

  /// Whether the challenge says that the last answer was good but too old, so that the same credential may answer it
  /// once more; `false` by default.
  func isRenewal(_ challenge: AuthenticationChallenge) -> Bool

  /// Hears of the response to a request that carried an answer of this scheme; does nothing by default.
  ///
  /// The context's request has the answer among its fields. A proxy's tunnel is a CONNECT, and its response the proxy's.
  ///
  /// - Throws: what ends the request, where the response must not be believed.
  func receive(_ head: HTTPResponse, with credential: Credential, in context: AuthenticationContext) throws
}

extension AuthenticationScheme {
  /// Sends nothing unasked.
  public func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws
    -> String?
  { nil }

  /// Takes every challenge after an answer for a refusal.
  public func isRenewal(_ challenge: AuthenticationChallenge) -> Bool { false }

  /// Learns nothing from the response.
  public func receive(_ head: HTTPResponse, with credential: Credential, in context: AuthenticationContext) {}
}
