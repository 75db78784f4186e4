import LupineSupport

/// What two exchanges must have in common to share a connection.
///
/// A connection is never used across two identities, even where two sessions share one transport.
public struct ConnectionKey: Sendable, Hashable {
  /// The trust policy that judged the connection's certificates; every policy made has a number of its own.
  public var trustPolicy: UInt64? {
    get { storage.value.trustPolicy }
    _modify { yield &storage.value.trustPolicy }
  }
  /// The file of root certificates in PEM that is trusted instead of the system's.
  public var certificateAuthorities: String? {
    get { storage.value.certificateAuthorities }
    _modify { yield &storage.value.certificateAuthorities }
  }
  /// The file of root certificates in PEM that is trusted on top of the others.
  public var additionalCertificateAuthorities: String? {
    get { storage.value.additionalCertificateAuthorities }
    _modify { yield &storage.value.additionalCertificateAuthorities }
  }
  /// The certificate that is shown to servers that ask for one.
  public var clientCertificate: ClientCertificate? {
    get { storage.value.clientCertificate }
    _modify { yield &storage.value.clientCertificate }
  }
  /// The oldest version of TLS that is spoken; `nil` means 1.2.
  public var minimumTLSVersion: TLSVersion? {
    get { storage.value.minimumTLSVersion }
    _modify { yield &storage.value.minimumTLSVersion }
  }
  /// The newest version of TLS that is spoken; `nil` means whatever the library speaks.
  public var maximumTLSVersion: TLSVersion? {
    get { storage.value.maximumTLSVersion }
    _modify { yield &storage.value.maximumTLSVersion }
  }
  /// What proves the connection, and with it every request that goes over it.
  public var connectionCredential: ConnectionCredential? {
    get { storage.value.connectionCredential }
    _modify { yield &storage.value.connectionCredential }
  }
  /// The proxy that the exchange goes through, with its credential.
  public var proxy: Proxy? {
    get { storage.value.proxy }
    _modify { yield &storage.value.proxy }
  }
  /// The path of the Unix-domain socket that is connected to, whatever the host.
  public var unixSocket: String? {
    get { storage.value.unixSocket }
    _modify { yield &storage.value.unixSocket }
  }
  /// The addresses that stand in the place of what the resolver says.
  public var resolverOverrides: ResolverOverrides {
    get { storage.value.resolverOverrides }
    _modify { yield &storage.value.resolverOverrides }
  }
  /// The address of this machine that connections are made from.
  public var localAddress: IPAddress? {
    get { storage.value.localAddress }
    _modify { yield &storage.value.localAddress }
  }
  /// The addresses that may be connected to; `nil` means all.
  public var networkPolicy: NetworkPolicy? {
    get { storage.value.networkPolicy }
    _modify { yield &storage.value.networkPolicy }
  }

  /// Whether authorities are named, in the place of the system's or beside them.
  package var namesAuthorities: Bool {
    storage.value.certificateAuthorities != nil || storage.value.additionalCertificateAuthorities != nil
  }

  /// Whether there is a proxy that is asked for a tunnel to an HTTPS server.
  public var hasTunnellingProxy: Bool { storage.value.proxy.map { $0.kind != .socks5 } ?? false }

  /// Whether addresses may have to be found, or judged, before an exchange begins.
  public var concernsAddresses: Bool {
    storage.value.networkPolicy != nil || storage.value.proxy?.resolvesNamesHere == true
  }

  private struct Values: Hashable {
    var trustPolicy: UInt64?
    var certificateAuthorities: String?
    var additionalCertificateAuthorities: String?
    var clientCertificate: ClientCertificate?
    var minimumTLSVersion: TLSVersion?
    var maximumTLSVersion: TLSVersion?
    var connectionCredential: ConnectionCredential?
    var proxy: Proxy?
    var unixSocket: String?
    var resolverOverrides = ResolverOverrides()
    var localAddress: IPAddress?
    var networkPolicy: NetworkPolicy?
  }

  private static let usual = CopyOnWrite(Values())

  /// Behind one pointer, which an exchange shares with its session.
  private var storage = Self.usual

  /// The identity of a session that sets nothing of the kind.
  public init(trustPolicy: UInt64? = nil, certificateAuthorities: String? = nil) {
    if let trustPolicy { self.trustPolicy = trustPolicy }
    if let certificateAuthorities { self.certificateAuthorities = certificateAuthorities }
  }
}
