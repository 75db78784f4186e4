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

/// The connections of a transport at one moment, for gauges.
public struct ConnectionPoolSnapshot: Sendable, Hashable, CustomStringConvertible {
  /// Connections that are open, or being made.
  public var open: Int
  /// Those of them that no exchange uses.
  public var idle: Int
  /// Exchanges that wait for their turn, or for that of their host's name to be looked up.
  public var waiting: Int

  /// Counts of none.
  public init(open: Int = 0, idle: Int = 0, waiting: Int = 0) {
    self.open = open
    self.idle = idle
    self.waiting = waiting
  }

  /// The counts, on one line.
  public var description: String { "\(open) open, \(idle) idle, \(waiting) waiting" }
}

/// A transport that keeps connections and can count them.
public protocol ConnectionPooling: Transport {
  /// Counts the connections of all sessions that use the transport; zeros once it was shut down.
  func connectionPool() async -> ConnectionPoolSnapshot
}

/// Addresses that stand in the place of what the resolver says of a name.
public struct ResolverOverrides: Sendable, Hashable {
  private var addresses: [String: [IPAddress]] = [:]

  package init() {}

  /// Whether every name is resolved as usual.
  public var isEmpty: Bool { addresses.isEmpty }

  /// The addresses of a name, in the order in which they are tried; `nil` where it is resolved as usual.
  ///
  /// A dot at the name's end makes no difference: it says to a resolver that the name is whole.
  public func addresses(of host: String) -> [IPAddress]? { addresses.isEmpty ? nil : addresses[Self.key(host)] }

  package mutating func set(_ host: String, _ addresses: [IPAddress]) { self.addresses[Self.key(host)] = addresses }

  private static func key(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
