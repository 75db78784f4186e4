import LupineSupport

/// The use of a transport's connections by a session; `nil` means the transport's own value.
public struct ConnectionOptions: Sendable, Hashable {
  /// The maximum number of concurrent exchanges with one scheme, host and port; further ones wait.
  ///
  /// If sessions share a transport, the exchanges of all sessions count. The lower of the session's and the transport's
  /// limits applies. HTTP/2 carries many exchanges over one connection, and they do not wait.
  public var perHost: Int?
  /// The maximum number of concurrent exchanges in total; further ones wait.
  ///
  /// The exchanges count as for `perHost`.
  public var total: Int?
  /// The maximum idle time after which a connection is still reused, in whole seconds.
  public var idleLifetime: Duration?
  /// The maximum age at which a connection is still reused, in whole seconds.
  public var lifetime: Duration?
  /// Whether a connection stays open after an exchange for reuse.
  ///
  /// Default: yes.
  public var isKeptAlive = true
  /// The idle time after which the kernel sends TCP keep-alive probes, in whole seconds.
  ///
  /// The probes detect a peer that is gone without closing the connection, as behind a firewall that drops its state.
  /// `nil` means 60 seconds with the libcurl and the native transport, for every connection, also an idle one of HTTP/2.
  public var probeInterval: Duration?

  /// Creates options that leave everything to the transport.
  public init() {}
}

/// The connection counts of a transport at one moment, for gauges.
public struct ConnectionPoolSnapshot: Sendable, Hashable, CustomStringConvertible {
  /// The number of connections that are open or being established.
  public var open: Int
  /// The number of those connections that no exchange uses.
  public var idle: Int
  /// The number of exchanges that wait for a connection or for a name lookup.
  public var waiting: Int

  /// Creates a snapshot.
  ///
  /// Default: zeros.
  public init(open: Int = 0, idle: Int = 0, waiting: Int = 0) {
    self.open = open
    self.idle = idle
    self.waiting = waiting
  }

  /// The counts, on one line.
  public var description: String { "\(open) open, \(idle) idle, \(waiting) waiting" }
}

/// Addresses that replace the resolver's result for a host name.
public struct ResolverOverrides: Sendable, Hashable {
  private var addresses: [String: [IPAddress]] = [:]
  /// The combined hashes of all entries, so that `hash(into:)` takes constant time.
  private var digest = 0

  /// Creates overrides for no name.
  public init() {}

  /// Whether every name is resolved by the resolver.
  public var isEmpty: Bool { addresses.isEmpty }

  /// Returns the addresses of a name, in the order in which they are tried; `nil` if the resolver resolves it.
  ///
  /// A trailing dot in the name, which marks a fully qualified name, is ignored.
  public func addresses(of host: String) -> [IPAddress]? { addresses.isEmpty ? nil : addresses[Self.key(host)] }

  /// Sets the addresses of a name, in the order in which they are tried.
  ///
  /// - Parameter host: the name as in `HTTPURL.host`. A trailing dot is ignored.
  public mutating func set(_ addresses: [IPAddress], of host: String) {
    let key = Self.key(host)
    if let old = self.addresses.updateValue(addresses, forKey: key) { digest ^= Self.digest(of: key, old) }
    digest ^= Self.digest(of: key, addresses)
  }

  private static func digest(of key: String, _ addresses: [IPAddress]) -> Int {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(addresses)
    return hasher.finalize()
  }

  /// Whether both have the same addresses for the same names.
  public static func == (left: ResolverOverrides, right: ResolverOverrides) -> Bool {
    guard left.digest == right.digest else { return false }
    assert(StepCount.add(left.addresses.count))
    return left.addresses == right.addresses
  }

  /// Hashes all names and addresses in constant time.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(addresses.count)
    hasher.combine(digest)
  }

  private static func key(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
