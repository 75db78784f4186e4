extension CurlTransport {
  /// What can be set on the libcurl transport as a whole.
  public struct Configuration: Sendable, Hashable {
    /// The file of root certificates in PEM.
    ///
    /// Default: `nil`, the file that `SSL_CERT_FILE` names, else the system's.
    public var certificateAuthorities: String?
    /// Exchanges on HTTP/1.1 at once with one scheme, host and port; more wait their turn.
    ///
    /// Default: 64.
    public var connectionsPerHost = 64
    /// Exchanges on HTTP/1.1 at once in all; more wait their turn.
    ///
    /// Default: 256.
    public var connections = 256
    /// How long a connection may lie idle and still be used again, in whole seconds.
    ///
    /// Default: 90 seconds.
    public var idleConnectionLifetime: Duration = .seconds(90)
    /// How old a connection may be and still be used again, in whole seconds.
    ///
    /// Default: one hour.
    public var connectionLifetime: Duration = .seconds(3600)
    /// Bytes read from a connection at once, from 1 KiB to 512 KiB.
    ///
    /// Default: 128 KiB.
    public var receiveBufferSize = 128 << 10

    /// The defaults.
    public init() {}
  }
}
