public import LupineCore

/// The origins that a secret may be sent to.
public enum CredentialScope: Sendable, Hashable {
  /// The origin of the session's base URL alone.
  case baseURL
  /// These origins, given as URLs such as `https://api.example.com`.
  case origins([String])
  /// Every origin. Redirects across origins still strip the secret.
  case anyOrigin

  /// Whether the secret may be sent to the URL's origin.
  ///
  /// - Throws: `LupineError` of kind `adaptationFailed` if the scope is `baseURL` and there is no base URL, and kind
  ///   `invalidURL` if one of the given origins is not a URL.
  public func allows(_ url: HTTPURL, baseURL: HTTPURL?) throws(LupineError) -> Bool {
    switch self {
    case .anyOrigin: return true
    case .baseURL:
      guard let baseURL else {
        throw LupineError(
          .adaptationFailed,
          "A secret is for the base URL's origin, but the session has no base URL; set one, or name the origins."
        )
      }
      return url.origin == baseURL.origin
    case .origins(let origins):
      for origin in origins where try HTTPURL(origin).origin == url.origin { return true }
      return false
    }
  }
}

extension CredentialScope {
  /// The URLs of the origins; `nil` for every origin.
  func urls(baseURL: HTTPURL?) -> [HTTPURL]? {
    switch self {
    case .baseURL: baseURL.map { [$0] } ?? []
    case .origins(let origins): origins.compactMap { try? HTTPURL($0) }
    case .anyOrigin: nil
    }
  }

  /// The reasons why a secret with this scope cannot be sent; empty if it can.
  func problems(of secret: String, hasBaseURL: Bool) -> [String] {
    switch self {
    case .baseURL where !hasBaseURL: ["there is no base URL to send \(secret) to; set one, or name its origins"]
    case .origins(let origins):
      origins.filter { (try? HTTPURL($0)) == nil }.map { "\"\($0)\" is not an origin for \(secret)" }
    default: []
    }
  }
}

/// A credential that authenticates connections, and the origins that it may be sent to.
struct ScopedConnectionCredential: Sendable {
  var credential: ConnectionCredential
  var scope: CredentialScope
}
