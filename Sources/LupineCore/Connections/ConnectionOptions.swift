/// How a session uses its transport's connections; `nil` leaves each to the transport.
public struct ConnectionOptions: Sendable, Hashable {
  /// Exchanges under way at once with one scheme, host and port; more wait their turn.
  ///
  /// Where sessions share a transport, its own exchanges and those of the others count as well; of the session's limit
  /// and the transport's the lower one holds. HTTP/2 carries many exchanges over one connection, and they do not wait.
  public var perHost: Int?
  /// Exchanges under way at once in all; more wait their turn.
  ///
  /// Counted as `perHost`.
  public var total: Int?
  /// How long a connection may lie idle and still be used again, in whole seconds.
  public var idleLifetime: Duration?
  /// How old a connection may be and still be used again, in whole seconds.
  public var lifetime: Duration?
  /// Whether a connection is kept after an exchange, for the next.
  ///
  /// Default: yes.
  public var isKeptAlive = true
  /// After how long a silence the kernel asks whether the peer is still there, in whole seconds.
  ///
  /// Such probes find a peer that is gone without a word, as behind a firewall that forgets.
  public var probeInterval: Duration?

  /// Leaves everything to the transport.
  public init() {}
}
