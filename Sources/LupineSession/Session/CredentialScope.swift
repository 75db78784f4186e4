public import LupineCore

/// The origins that a secret may be sent to.
public enum CredentialScope: Sendable, Hashable {
  /// The origin of the session's base URL alone.
  case baseURL
  /// These origins, given as URLs such as `https://api.example.com`.
  case origins([String])
  /// Every origin. Redirects across origins still strip the secret.
  case anyOrigin

  /// Whether the secret may go there.
  ///
  /// - Throws: `LupineError` of kind `adaptationFailed` where the scope is the base URL's origin and there is no base URL,
  ///   and kind `invalidURL` where an origin is none.
  public func allows(_ url: HTTPURL, baseURL: HTTPURL?) throws(LupineError) -> Bool {
    switch self {
    case .anyOrigin: return true
    case .baseURL:
      guard let baseURL else {
        throw LupineError(
          .adaptationFailed,
          "A secret is meant for the base URL's origin, and the session has no base URL; set one, or name the origins.")
      }
      return url.origin == baseURL.origin
    case .origins(let origins):
      for origin in origins where try HTTPURL(origin).origin == url.origin { return true }
      return false
    }
  }
}

extension CredentialScope {
  /// Why a secret with this scope could not be sent; empty where it can be.
  func problems(of secret: String, hasBaseURL: Bool) -> [String] {
    switch self {
    case .baseURL where !hasBaseURL: ["there is no base URL to send \(secret) to; set one, or name its origins"]
    case .origins(let origins):
      origins.filter { (try? HTTPURL($0)) == nil }.map { "\"\($0)\" is not an origin for \(secret)" }
    default: []
    }
  }
}

/// What proves connections, and to whom.
struct ScopedConnectionCredential: Sendable {
  var credential: ConnectionCredential
  var scope: CredentialScope
}
