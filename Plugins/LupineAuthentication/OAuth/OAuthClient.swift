import HTTPTypes
import LupineCoding
public import LupineCore
import LupineFoundation
public import LupineSession
import LupineSupport

/// Requests tokens from an authorization server (RFC 6749).
///
/// A token request does not follow redirects, so that the secret reaches only the token endpoint.
public struct OAuthClient: Sendable, HidesSecrets {
  /// The way in which the client sends its secret (RFC 6749 section 2.3.1).
  public enum AuthenticationMethod: Sendable, Hashable {
    /// In `Authorization` with the Basic scheme, which every server must support.
    case header
    /// In the body's parameters, for a server that does not support Basic.
    case parameters
  }

  private let url: HTTPURL
  private let identifier: String
  private let secret: String?
  private let authenticationMethod: AuthenticationMethod

  /// Creates a client of an authorization server.
  ///
  /// - Parameters:
  ///   - tokenURL: the token endpoint; https, or http to the loopback interface.
  ///   - identifier: the `client_id`.
  ///   - secret: the `client_secret`; `nil` for a public client, which sends only its identifier.
  ///   - authenticationMethod: the way in which the secret is sent. Default: in `Authorization`.
  /// - Throws: `LupineError` of kind `invalidURL`, including for http to another host.
  public init(
    tokenURL: String, identifier: String, secret: String? = nil, authenticationMethod: AuthenticationMethod = .header
  ) throws(LupineError) {
    url = try HTTPURL(tokenURL)
    guard url.scheme == .https || url.isLoopback else {
      throw LupineError(.invalidURL, "The token endpoint must use https; \(url.origin) would expose the secret.")
    }
    self.identifier = identifier
    self.secret = secret
    self.authenticationMethod = authenticationMethod
  }

  /// The token endpoint's origin.
  public var description: String { "OAuthClient(\(url.origin))" }

  /// Requests a token.
  ///
  /// - Throws: `LupineError` of kind `unacceptableStatusCode` if the server refuses, even with status 200. The message
  ///   has the server's error code, such as `invalid_grant`, and its description (RFC 6749 section 5.2). The
  ///   description is omitted if it may repeat a secret of the request. The kind is `serializationFailed` if the
  ///   response is not JSON or contains no bearer token. Otherwise the error is that of the request.
  public func token(_ grant: OAuthGrant, for session: Session) async throws(LupineError) -> OAuthToken {
    let request = session.request(tokenRequest(grant)).redirector(.doNotFollow)
    let response = await request.serializingData().response
    // An empty body is an error for the serializer, but the status code of a refusal takes precedence.
    if let error = response.error, error.kind != .emptyResponse { throw error }
    let status = response.response?.status.code ?? 0
    guard status == 200 else { throw refusal(of: grant, status, try? answer(response)) }
    let answer = try answer(response)
    if answer.error != nil { throw refusal(of: grant, status, answer) }
    guard let token = answer.token(now: session.currentDate) else { throw Self.withoutToken }
    return token
  }

  private static var withoutToken: LupineError {
    LupineError(.serializationFailed, "The authorization server's response contains no bearer token.")
  }

  private func answer(_ response: DataResponse<Data>) throws(LupineError) -> OAuthResponse {
    guard let data = response.data, !data.isEmpty else { throw Self.withoutToken }
    let contentType = response.response?.headerFields[.contentType] ?? ""
    do throws(LupineError) {
      return try JSONDecoder().decodeGuarded(OAuthResponse.self, from: data, contentType: contentType)
    } catch {
      throw LupineError(error.kind, "\(Self.withoutToken.message) \(error.message)", underlying: error.underlying)
    }
  }

  private func refusal(of grant: OAuthGrant, _ status: Int, _ answer: OAuthResponse?) -> LupineError {
    let code = answer?.error.flatMap(Self.printable).map { ": \($0)" } ?? ""
    let description = answer?.errorDescription.flatMap { printable($0, secrets: grant.secrets) }.map { " \($0)" } ?? ""
    return LupineError(
      .unacceptableStatusCode(status),
      "The authorization server refused the \(grant) grant with \(status)\(code).\(description)")
  }

  private func tokenRequest(_ grant: OAuthGrant) -> OutgoingRequest {
    var parameters = grant.parameters
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"]
    if let secret, authenticationMethod == .header {
      headers[.authorization] =
        HTTPField.authorization(
          username: FormEncoding.encoded(identifier), password: FormEncoding.encoded(secret)
        ).value
    } else {
      parameters.append(("client_id", identifier))
      if let secret { parameters.append(("client_secret", secret)) }
    }
    let text = parameters.map { "\($0.name)=\(FormEncoding.encoded($0.value))" }.joined(separator: "&")
    return OutgoingRequest(url: url, method: .post, headers: headers, body: .text(text))
  }

  /// Returns an error code in the standard's form; any other text might repeat a secret.
  private static func printable(_ code: String) -> String? {
    !code.isEmpty && code.count <= 64 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F } ? code : nil
  }

  /// Returns a description of an error; `nil` if it is empty, has more than 200 bytes or one that is not printable
  /// ASCII, or may repeat a secret or a part of one.
  private func printable(_ text: String, secrets: [String]) -> String? {
    guard 1...200 ~= text.utf8.count, text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return nil }
    let secrets = secrets + [secret].compactMap { $0 }
    let parts = text.split { !($0.isLetter || $0.isNumber) }
    let isSecret = secrets.contains { secret in
      text.contains(secret) || parts.contains { $0.utf8.count >= 4 && secret.contains($0) }
    }
    // A long word with a digit is an identifier or a token, not a word of a sentence.
    let hasToken = parts.contains { $0.utf8.count >= 16 && $0.contains(where: \.isNumber) }
    return isSecret || hasToken ? nil : text
  }
}

/// An authorization grant for a token (RFC 6749 section 1.3).
public enum OAuthGrant: Sendable, Hashable {
  /// The client's identifier and secret (RFC 6749 section 4.4).
  case clientCredentials(scope: String? = nil)
  /// A refresh token (RFC 6749 section 6).
  case refreshToken(String, scope: String? = nil)

  /// The parameters of the token request.
  var parameters: [(name: String, value: String)] {
    switch self {
    case .clientCredentials(let scope):
      [("grant_type", "client_credentials")] + Self.scope(scope)
    case .refreshToken(let token, let scope):
      [("grant_type", "refresh_token"), ("refresh_token", token)] + Self.scope(scope)
    }
  }

  /// The parts of the grant that no message may repeat.
  fileprivate var secrets: [String] {
    switch self {
    case .clientCredentials: []
    case .refreshToken(let token, _): [token]
    }
  }

  private static func scope(_ scope: String?) -> [(name: String, value: String)] { scope.map { [("scope", $0)] } ?? [] }
}

extension OAuthGrant: HidesSecrets {
  /// The grant type only.
  public var description: String {
    switch self {
    case .clientCredentials: "client_credentials"
    case .refreshToken: "refresh_token"
    }
  }
}

/// Encodes values as `application/x-www-form-urlencoded` (RFC 6749 appendix B).
enum FormEncoding {
  private static let allowed = URLEncodedFormEncoder.AllowedCharacters.unreserved.removing("~").inserting("*")

  static func encoded(_ text: String) -> String { allowed.encoding(text.utf8, spaceAsPlus: true) }
}
