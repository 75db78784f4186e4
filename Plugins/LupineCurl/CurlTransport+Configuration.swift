extension CurlTransport {
  /// What can be set on the libcurl transport as a whole.
  public struct Configuration: Sendable, Hashable {
    /// The file of root certificates in PEM; `nil` means the one that `SSL_CERT_FILE` names, else the system's.
    ///
    /// It is read again before a new connection once it has changed; while it is missing or may not be read, what was
    /// read last counts. A file that is overwritten in place with as many bytes, within one tick of the file system's clock
    /// after it was read, passes for the one that was read. So it is with OpenSSL; a libcurl with another TLS
    /// library keeps what it has read for as long as a session's connections are kept.
    public var certificateAuthorities: String?
    /// Exchanges on HTTP/1.1 at once with one scheme, host and port, 64 by default; more wait their turn.
    public var connectionsPerHost = 64
    /// Exchanges on HTTP/1.1 at once in all, 256 by default; more wait their turn.
    public var connections = 256
    /// Names that are looked up at once, each on a thread of its own; 32 by default, at least one.
    ///
    /// Further names wait, and their requests emit the event `queued`. While 1,000 exchanges wait, a further one fails
    /// with kind `limitExceeded(.nameLookups)`. Nothing ends the system's resolver: a lookup that hangs counts until it
    /// returns, even where its request has ended.
    public var nameLookups = 32
    /// How long a connection may lie idle and still be used again, in whole seconds; 90 seconds by default.
    public var idleConnectionLifetime: Duration = .seconds(90)
    /// How old a connection may be and still be used again, in whole seconds; one hour by default.
    public var connectionLifetime: Duration = .seconds(3600)
    /// Bytes read from a connection at once, from 1 KiB to 512 KiB; 128 KiB by default.
    public var receiveBufferSize = 128 << 10

    /// The defaults.
    public init() {}
  }
}
