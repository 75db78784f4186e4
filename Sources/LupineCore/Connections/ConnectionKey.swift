import LupineSupport

/// The properties that two exchanges must share to use the same connection.
///
/// A connection is never used for two different keys, even if two sessions share one transport. A session makes its
/// keys when it is built. Exchanges with the same settings hold copies of one key, which compare in constant time by
/// identity. Hashing also takes constant time, however many addresses and rules the key has.
public struct ConnectionKey: Sendable, Hashable {
  /// The number of the trust policy that evaluated the connection's certificates.
  ///
  /// Each policy has a unique number.
  public var trustPolicy: UInt64? {
    get { storage.value.trustPolicy }
    _modify { yield &storage.value.trustPolicy }
  }
  /// The PEM file of root certificates that replaces the system's.
  public var certificateAuthorities: String? {
    get { storage.value.certificateAuthorities }
    _modify { yield &storage.value.certificateAuthorities }
  }
  /// The PEM file of root certificates that are trusted in addition to the others.
  public var additionalCertificateAuthorities: String? {
    get { storage.value.additionalCertificateAuthorities }
    _modify { yield &storage.value.additionalCertificateAuthorities }
  }
  /// The certificate for servers that request one.
  public var clientCertificate: ClientCertificate? {
    get { storage.value.clientCertificate }
    _modify { yield &storage.value.clientCertificate }
  }
  /// The minimum version of TLS; `nil` means 1.2.
  public var minimumTLSVersion: TLSVersion? {
    get { storage.value.minimumTLSVersion }
    _modify { yield &storage.value.minimumTLSVersion }
  }
  /// The maximum version of TLS; `nil` means the newest version that the library supports.
  public var maximumTLSVersion: TLSVersion? {
    get { storage.value.maximumTLSVersion }
    _modify { yield &storage.value.maximumTLSVersion }
  }
  /// The credential that authenticates the connection and every request on it.
  public var connectionCredential: ConnectionCredential? {
    get { storage.value.connectionCredential }
    _modify { yield &storage.value.connectionCredential }
  }
  /// The proxy of the exchange, with its credential.
  public var proxy: Proxy? {
    get { storage.value.proxy }
    _modify { yield &storage.value.proxy }
  }
  /// The path of the Unix-domain socket to connect to, whatever the host.
  public var unixSocket: String? {
    get { storage.value.unixSocket }
    _modify { yield &storage.value.unixSocket }
  }
  /// The addresses that replace the resolver's result.
  public var resolverOverrides: ResolverOverrides {
    get { storage.value.resolverOverrides }
    _modify { yield &storage.value.resolverOverrides }
  }
  /// The number of the session's resolver (`HostResolver.id`), which is in `TransferContext.resolver`; `nil` means the
  /// system's.
  public var resolver: UInt64? {
    get { storage.value.resolver }
    _modify { yield &storage.value.resolver }
  }
  /// The local address that connections are made from.
  public var localAddress: IPAddress? {
    get { storage.value.localAddress }
    _modify { yield &storage.value.localAddress }
  }
  /// The addresses that connections are allowed to; `nil` means all.
  public var networkPolicy: NetworkPolicy? {
    get { storage.value.networkPolicy }
    _modify { yield &storage.value.networkPolicy }
  }

  /// Whether the key sets certificate authorities, instead of the system's or in addition to them.
  var namesAuthorities: Bool {
    storage.value.certificateAuthorities != nil || storage.value.additionalCertificateAuthorities != nil
  }

  /// Whether there is a proxy that opens a tunnel to an HTTPS server.
  public var hasTunnellingProxy: Bool { storage.value.proxy.map { $0.kind != .socks5 } ?? false }

  /// Whether addresses may have to be resolved or checked before an exchange begins.
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
    var resolver: UInt64?
    var localAddress: IPAddress?
    var networkPolicy: NetworkPolicy?
  }

  private static let defaults = CopyOnWrite(Values())

  /// Stored indirectly: an exchange shares the key of its session.
  private var storage = Self.defaults

  /// The key of a session without connection settings of its own.
  public init(trustPolicy: UInt64? = nil, certificateAuthorities: String? = nil) {
    if let trustPolicy { self.trustPolicy = trustPolicy }
    if let certificateAuthorities { self.certificateAuthorities = certificateAuthorities }
  }
}
