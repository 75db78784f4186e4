public import FoundationEssentials

/// What an `AuthenticationInterceptor` keeps and refreshes: an access token with what renews it, as a rule.
public protocol AuthenticationCredential: Sendable {
  /// Whether the credential should be refreshed before it is used again, as shortly before it expires.
  ///
  /// Default: no, so that it is refreshed when the server refuses it.
  func requiresRefresh(at date: Date) -> Bool
}

extension AuthenticationCredential {
  /// No.
  public func requiresRefresh(at date: Date) -> Bool { false }
}
