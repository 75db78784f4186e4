extension CurlTransport {
  /// The settings of a libcurl transport.
  public struct Configuration: Sendable, Hashable {
    /// The PEM file with the root certificates.
    ///
    /// Default: `nil`, which means the file that `SSL_CERT_FILE` names, or else the system's file.
    ///
    /// With OpenSSL, the transport reads a changed file again before the next new connection. While the file is missing
    /// or unreadable, the certificates that were read last stay valid. The transport does not detect a file that is
    /// overwritten in place with the same number of bytes within one tick of the file system's clock. With another TLS
    /// library, libcurl keeps the certificates that it has read for as long as it keeps the session's connections.
    public var certificateAuthorities: String?
    /// The maximum number of concurrent HTTP/1.1 exchanges for one scheme, host and port.
    ///
    /// Default: 64. Further exchanges wait.
    public var connectionsPerHost = 64
    /// The maximum number of concurrent HTTP/1.1 exchanges in total.
    ///
    /// Default: 256. Further exchanges wait.
    public var connections = 256
    /// The maximum number of concurrent name lookups, each on its own thread; at least one.
    ///
    /// Default: 32. Further names wait, and their requests emit the event `queued`. While 1,000 exchanges wait, another
    /// one fails with kind `limitExceeded(.nameLookups)`. The system's resolver cannot be interrupted: a lookup counts
    /// until the resolver returns, even if its request has ended.
    public var nameLookups = 32
    /// The maximum idle time after which a connection is still reused, in whole seconds.
    ///
    /// Default: 90 seconds.
    public var idleConnectionLifetime: Duration = .seconds(90)
    /// The maximum age at which a connection is still reused, in whole seconds.
    ///
    /// Default: one hour.
    public var connectionLifetime: Duration = .seconds(3600)
    /// The maximum number of bytes in one read from a connection, from 1 KiB to 512 KiB.
    ///
    /// Default: 128 KiB.
    public var receiveBufferSize = 128 << 10

    /// Creates the default settings.
    public init() {}
  }
}
