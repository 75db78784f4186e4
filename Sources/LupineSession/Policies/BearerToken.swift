import HTTPTypes
public import LupineCore

/// Adds a bearer token (RFC 6750) to requests that carry no `Authorization` yet.
///
/// Its description hides the token.
public struct BearerToken: RequestAdapter, HidesSecrets {
  private let token: String
  private let scope: CredentialScope

  /// Wraps a token.
  ///
  /// - Parameter scope: where it may go. Default: the origin of the session's base URL.
  public init(_ token: String, to scope: CredentialScope = .baseURL) {
    self.token = token
    self.scope = scope
  }

  /// Where it may go.
  public var credentialScope: CredentialScope? { scope }

  /// The type's name alone.
  public var description: String { "BearerToken" }

  /// Adds the token where the scope allows it.
  ///
  /// - Throws: `LupineError` where the token cannot stand in a field, or where the scope is the base URL's origin and
  ///   there is no base URL.
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
