public import LupineCore

extension Session.Builder {
  /// Sets what proves connections to servers, with NTLM or Negotiate.
  ///
  /// Such a connection serves this credential alone. After a redirect to another origin, the rest of a request goes without
  /// it.
  ///
  /// - Parameter scope: the servers it is for. Default: the origin of the base URL.
  public func connectionCredential(
    _ credential: ConnectionCredential, to scope: CredentialScope = .baseURL
  ) -> Self {
    changed { $0.configuration.connectionCredential = ScopedConnectionCredential(credential: credential, scope: scope) }
  }

  /// Checks what was said about it against what the transport can do.
  func checkConnectionCredential(_ issues: inout [ConfigurationIssue]) {
    guard let given = configuration.connectionCredential else { return }
    let part = "connectionCredential"
    require(.connectionAuthentication, part, &issues)
    issues += given.credential.problems.map { ConfigurationIssue(part: part, reason: $0) }
  }
}
