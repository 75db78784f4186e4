import LupineSupport

extension HTTPURL {
  /// Where credentials belong: scheme, host and port together (RFC 9110 section 4.3.1).
  public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The scheme.
    public let scheme: Scheme
    /// The host as in `HTTPURL.host`; a trailing dot makes it another host.
    public let host: String
    /// The port to connect to, the scheme's default included.
    public let port: Int

    /// Joins the parts; the host is taken as it is.
    public init(scheme: Scheme, host: String, port: Int) {
      self.scheme = scheme
      self.host = host
      self.port = port
    }

    /// The origin as the `Origin` field carries it: without the default port, IPv6 in brackets.
    public var description: String {
      let name = host.utf8.contains(.colon) ? "[\(host)]" : host
      return port == scheme.defaultPort ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }
  }

  /// The origin of the URL.
  public var origin: Origin { Origin(scheme: scheme, host: host, port: effectivePort) }
}

extension HTTPURL {
  /// Whether the host is this machine, by the names and addresses that always are (RFC 6761 section 6.3).
  public var isLoopback: Bool {
    switch hostKind {
    case .name: host == "localhost" || host.hasSuffix(".localhost")
    case .ipv4: host.hasPrefix("127.")
    case .ipv6: host == "::1"
    }
  }
}
