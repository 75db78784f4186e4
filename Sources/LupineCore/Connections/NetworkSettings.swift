/// The settings of a transport that opens network connections; the native and the libcurl transport both have them.
///
/// A transport has them in its configuration. Settings of a session or a request, such as `ConnectionOptions`, apply as
/// well; the lower limit applies.
public struct NetworkSettings: Sendable, Hashable {
  /// The PEM file with the root certificates.
  ///
  /// Default: `nil`, which means the file that `SSL_CERT_FILE` names and all files in the folders that `SSL_CERT_DIR`
  /// lists, separated by colons; without these variables, the system's file. Files of a folder without a certificate in
  /// PEM are skipped.
  ///
  /// The transport reads a changed file again before the next new connection. For a folder it detects only files that are
  /// added, removed or renamed. While the file is missing or unreadable, the certificates that were read last stay valid.
  /// The transport does not detect a file that is overwritten in place with the same number of bytes within one tick of
  /// the file system's clock.
  public var certificateAuthorities: String?
  /// The cipher suites and the groups that the transport offers to servers and to HTTPS proxies.
  ///
  /// Default: the system's cipher suites without finite-field Diffie-Hellman, and the elliptic curves of OpenSSL.
  public var tlsAlgorithms = TLSAlgorithms()
  /// The maximum number of concurrent exchanges for one scheme, host and port.
  ///
  /// Default: 64. Further exchanges wait.
  public var connectionsPerHost = 64
  /// The maximum number of concurrent exchanges in total, and of connections, including idle ones.
  ///
  /// Default: 256. Further exchanges wait. An idle connection is closed if another one needs its place.
  public var connections = 256
  /// The maximum number of concurrent name lookups, each on its own thread; at least one.
  ///
  /// Default: 32. Further names wait, and their requests emit the event `queued`. While 1,000 exchanges wait, another
  /// one fails with kind `limitExceeded(.nameLookups)`. The system's resolver cannot be interrupted: a lookup counts
  /// until the resolver returns, even if its request has ended.
  public var nameLookups = 32
  /// The idle time after which a connection is closed.
  ///
  /// Default: 90 seconds.
  public var idleConnectionLifetime: Duration = .seconds(90)
  /// The maximum age at which a connection is still reused.
  ///
  /// Default: one hour.
  public var connectionLifetime: Duration = .seconds(3600)

  /// Creates the default settings.
  public init() {}
}
