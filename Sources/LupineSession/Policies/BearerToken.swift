import HTTPTypes
public import LupineCore

/// Adds a bearer token (RFC 6750) to requests that have no `Authorization` field.
///
/// The description hides the token.
public struct BearerToken: RequestAdapter, HidesSecrets {
  private let token: String
  private let scope: CredentialScope

  /// Creates an adapter with a token.
  ///
  /// - Parameter scope: the origins that the token may be sent to. Default: the origin of the session's base URL.
  public init(_ token: String, to scope: CredentialScope = .baseURL) {
    self.token = token
    self.scope = scope
  }

  /// The origins that the token may be sent to.
  public var credentialScope: CredentialScope? { scope }

  /// The name of the type only.
  public var description: String { "BearerToken" }

  /// Adds the token if the scope allows the request's URL.
  ///
  /// - Throws: `LupineError` of kind `adaptationFailed` if the token is not valid in a field, or if the scope is the
  ///   base URL's origin and there is no base URL.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw LupineError(.adaptationFailed, "The bearer token is empty or has a space, a control or a non-ASCII byte.")
    }
    guard request.headers[.authorization] == nil, try scope.allows(request.url, baseURL: session.baseURL) else {
      return request
    }
    var request = request
    request.headers[.authorization] = "Bearer \(token)"
    return request
  }
}
