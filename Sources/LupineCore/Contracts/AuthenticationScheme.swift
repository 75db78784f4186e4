public import HTTPTypes

/// Answers a challenge (RFC 9110 section 11.3) of a server or a proxy with a credential.
///
/// The session sends the request again, once for each credential; the scheme does not. The session may call a scheme
/// for several requests at once. A scheme keeps its state per protection space (an origin and a realm) and never uses
/// that state for another one.
public protocol AuthenticationScheme: Sendable {
  /// The scheme's name, such as `Basic`.
  ///
  /// The comparison ignores case.
  var name: String { get }

  /// The rank of this challenge if a server offers several.
  ///
  /// The session answers the challenge with the greatest value.
  func strength(of challenge: AuthenticationChallenge) -> Int

  /// Returns the value of `Authorization` or `Proxy-Authorization`.
  ///
  /// - Returns: `nil` if the scheme cannot answer this challenge.
  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String?

  /// Returns the value to send before any challenge, because the protection space has accepted the credential.
  ///
  /// Default: `nil`.
  func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws -> String?

  /// Whether the challenge states that the last answer was valid but stale.
  ///
  /// If true, the same credential may answer the challenge once more. Default: `false`.
  func isRenewal(_ challenge: AuthenticationChallenge) -> Bool

  /// Receives the head of the response to a request that carried an answer of this scheme.
  ///
  /// The fields of the context's request contain the answer. For a proxy's tunnel the request is a CONNECT, and the
  /// response is the proxy's. Default: does nothing.
  ///
  /// - Throws: the error that ends the request, if the response is not authentic.
  func receive(_ head: HTTPResponse, with credential: Credential, in context: AuthenticationContext) throws
}

extension AuthenticationScheme {
  /// Returns `nil`.
  public func authorizePreemptively(with credential: Credential, in context: AuthenticationContext) async throws
    -> String?
  { nil }

  /// Returns `false`: a challenge that follows an answer rejects the credential.
  public func isRenewal(_ challenge: AuthenticationChallenge) -> Bool { false }

  /// Does nothing.
  public func receive(_ head: HTTPResponse, with credential: Credential, in context: AuthenticationContext) {}
}
