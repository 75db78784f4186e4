/// What two exchanges must have in common to share a connection.
///
/// A connection is never used across two identities, even where two sessions share one transport.
public struct SecurityIdentity: Sendable, Hashable {
  /// The trust policy that judged the connection's certificates; every policy made has a number of its own.
  public var trustPolicy: UInt64?
  /// The file of root certificates in PEM that is trusted instead of the system's.
  public var certificateAuthorities: String?
  /// The file of root certificates in PEM that is trusted on top of the others.
  public var additionalCertificateAuthorities: String?
  /// The certificate that is shown to servers that ask for one.
  public var clientCertificate: ClientCertificate?
  /// The oldest version of TLS that is spoken; `nil` means 1.2.
  public var minimumTLSVersion: TLSVersion?
  /// The newest version of TLS that is spoken; `nil` means whatever the library speaks.
  public var maximumTLSVersion: TLSVersion?
  /// What proves the connection, and with it every request that goes over it.
  public var connectionCredential: ConnectionCredential?
  /// The proxy that the exchange goes through, with its credential.
  public var proxy: Proxy?
  /// The path of the Unix-domain socket that is connected to, whatever the host.
  public var unixSocket: String?
  /// The addresses that stand in the place of what the resolver says.
  public var resolverOverrides = ResolverOverrides()
  /// The address of this machine that connections are made from.
  public var localAddress: IPAddress?
  /// The addresses that may be connected to; `nil` means all.
  public var networkPolicy: NetworkPolicy?

  /// The identity of a session that sets nothing of the kind.
  public init(trustPolicy: UInt64? = nil, certificateAuthorities: String? = nil) {
    self.trustPolicy = trustPolicy
    self.certificateAuthorities = certificateAuthorities
  }
}
