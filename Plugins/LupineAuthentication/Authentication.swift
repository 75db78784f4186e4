public import LupineCore
public import LupineSession

/// Installs the authentication schemes that need no configuration: the Digest scheme.
///
/// Each request supplies its credential with `authenticate(with:)` or `onChallenge`.
public struct Authentication: Plugin {
  /// Creates the plugin.
  public init() {}

  /// Adds the schemes to the builder.
  public func install(in builder: inout Session.Builder) { builder = builder.authenticationScheme(.digest) }
}

extension Plugin where Self == Authentication {
  /// The Digest scheme.
  public static var authentication: Authentication { Authentication() }
}

/// Authenticates a session's connections with NTLM or Negotiate.
///
/// The transport must support connection authentication, as libcurl's does; otherwise `build()` throws.
public struct ConnectionAuthentication: Plugin {
  private let credential: ConnectionCredential
  private let scope: CredentialScope

  /// Creates the plugin with a credential.
  ///
  /// - Parameter scope: the servers that may receive the credential. Default: the origin of the session's base URL.
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
  /// libcurl fetches a service ticket on its own thread, which delays the other exchanges on that thread.
  public static func negotiate(to scope: CredentialScope = .baseURL) -> ConnectionAuthentication {
    ConnectionAuthentication(.negotiate, to: scope)
  }

  /// NTLM over HTTP/1.1, with a user name such as `DOMAIN\name`.
  public static func ntlm(
    username: String, password: String, to scope: CredentialScope = .baseURL
  ) -> ConnectionAuthentication {
    ConnectionAuthentication(.ntlm(username: username, password: password), to: scope)
  }
}
