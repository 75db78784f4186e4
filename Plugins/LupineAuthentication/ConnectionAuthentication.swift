public import LupineCore
public import LupineSession

/// Proves a session's connections with NTLM or Negotiate, which only a transport such as libcurl's can speak.
///
/// A session whose transport cannot is refused by `build()`.
public struct ConnectionAuthentication: Plugin {
  private let credential: ConnectionCredential
  private let scope: CredentialScope

  /// Proves connections with a credential.
  ///
  /// - Parameter scope: the servers it is for. Default: the origin of the session's base URL.
  public init(_ credential: ConnectionCredential, to scope: CredentialScope = .baseURL) {
    self.credential = credential
    self.scope = scope
  }

  /// Adds the credential to the builder.
  public func install(in builder: inout Session.Builder) {
    builder = builder.connectionCredential(credential, to: scope)
  }
}

extension Plugin where Self == ConnectionAuthentication {
  /// Kerberos (RFC 4559), with the tickets of the system's cache.
  ///
  /// libcurl fetches a service's ticket on its own thread, where other exchanges wait meanwhile.
  public static func negotiate(to scope: CredentialScope = .baseURL) -> ConnectionAuthentication {
    ConnectionAuthentication(.negotiate, to: scope)
  }

  /// NTLM, with a name such as `DOMAIN\name`; over HTTP/1.1 alone.
  public static func ntlm(
    username: String, password: String, to scope: CredentialScope = .baseURL
  ) -> ConnectionAuthentication {
    ConnectionAuthentication(.ntlm(username: username, password: password), to: scope)
  }
}
