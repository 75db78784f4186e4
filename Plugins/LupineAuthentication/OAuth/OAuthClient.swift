import FoundationEssentials
import HTTPTypes
public import LupineCore
public import LupineSession

/// Asks an authorization server for tokens (RFC 6749).
///
/// The request is not redirected, so that no secret goes where the program did not send it.
public struct OAuthClient: Sendable, HidesSecrets {
  /// How the program proves who it is (RFC 6749 section 2.3.1).
  public enum Proof: Sendable, Hashable {
    /// In `Authorization`, with the Basic scheme; what servers must take.
    case header
    /// Among the parameters, for servers that take nothing else.
    case parameters
  }

  private let url: HTTPURL
  private let identifier: String
  private let secret: String?
  private let proof: Proof

  /// Describes a program to an authorization server.
  ///
  /// - Parameters:
  ///   - tokenURL: the server's token endpoint; https, or http on this machine.
  ///   - identifier: the program's `client_id`.
  ///   - secret: its `client_secret`; `nil` for a program that has none, and says only its name.
  ///   - proof: where the secret goes. Default: `Authorization`.
  /// - Throws: `LupineError` of kind `invalidURL`, also for http to another machine.
  public init(
    tokenURL: String, identifier: String, secret: String? = nil, proof: Proof = .header
  ) throws(LupineError) {
    url = try HTTPURL(tokenURL)
    guard url.scheme == .https || url.isLoopback else {
      throw LupineError(.invalidURL, "Tokens are asked for over https; \(url.origin) would expose the secret.")
    }
    self.identifier = identifier
    self.secret = secret
    self.proof = proof
  }

  /// The token endpoint's origin.
  public var description: String { "OAuthClient(\(url.origin))" }

  /// Asks for a token.
  ///
  /// - Throws: `LupineError` of kind `unacceptableStatusCode` where the server refuses, with the code it gave, such as
  ///   `invalid_grant`; of kind `serializationFailed` where its answer is no bearer token.
  public func token(_ grant: OAuthGrant, for session: Session) async throws(LupineError) -> OAuthToken {
    let request = session.request(tokenRequest(grant)).redirector(.doNotFollow)
    let response = await request.serializingData().response
    // An empty body is an error for whoever wants data, but a refusal comes first here.
    if let error = response.error, error.kind != .emptyResponse { throw error }
    let status = response.response?.status.code ?? 0
    let answer = response.data.flatMap(OAuthAnswer.init)
    guard status == 200 else {
      let code = answer?.error.flatMap(Self.printable).map { ": \($0)" } ?? ""
      throw LupineError(
        .unacceptableStatusCode(status), "The authorization server refused the \(grant) grant with \(status)\(code).")
    }
    guard let answer, let token = answer.token(now: session.currentDate) else {
      throw LupineError(.serializationFailed, "The authorization server's answer is no bearer token.")
    }
    return token
  }

  private func tokenRequest(_ grant: OAuthGrant) -> OutgoingRequest {
    var parameters = grant.parameters
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"]
    if let secret, proof == .header {
      headers[.authorization] =
        HTTPField.authorization(
          username: FormText.encoded(identifier), password: FormText.encoded(secret)
        ).value
    } else {
      parameters.append(("client_id", identifier))
      if let secret { parameters.append(("client_secret", secret)) }
    }
    let text = parameters.map { "\($0.name)=\(FormText.encoded($0.value))" }.joined(separator: "&")
    return OutgoingRequest(url: url, method: .post, headers: headers, body: .text(text))
  }

  /// A code of the standard's kind; another text of a server might repeat a secret.
  private static func printable(_ code: String) -> String? {
    code.count <= 64 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F } ? code : nil
  }
}
