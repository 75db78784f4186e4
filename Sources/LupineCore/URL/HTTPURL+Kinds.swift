extension HTTPURL {
  /// The schemes that can be requested.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    /// Plain HTTP.
    case http
    /// HTTP over TLS.
    case https

    /// The port used when the URL names none: 80 or 443.
    public var defaultPort: Int {
      switch self {
      case .http: 80
      case .https: 443
      }
    }
  }

  /// What the host of a URL is.
  public enum HostKind: Sendable, Hashable {
    /// A name to look up.
    case name
    /// An IPv4 address in dotted decimal.
    case ipv4
    /// An IPv6 address.
    case ipv6
  }
}
