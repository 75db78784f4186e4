public import FoundationEssentials
import LupineSupport

/// An absolute `http` or `https` URL, checked once and normalised.
///
/// Every part of the library reads this one value, so that policy, cookies, the connection pool and the transport never
/// disagree about the host. Two values are equal when their normalised text is: the scheme and the host in lower case,
/// no default port, no user information, no dot segments, a path of at least `/`, and every byte that RFC 3986 does not
/// allow in its place percent-encoded. `HTTPURL(url.string)` gives the same value again.
public struct HTTPURL: Sendable {
  /// The longest URL accepted, in bytes, before and after normalisation: 64 KiB.
  public static let maximumLength = 65_536

  /// The whole URL, normalised; always ASCII.
  public let string: String

  /// The scheme.
  public let scheme: Scheme

  /// Whether the host is a name or an address.
  public let hostKind: HostKind

  let explicitPort: UInt16
  let hostEnd: Int32
  let pathStart: Int32
  let pathEnd: Int32
  let queryEnd: Int32

  /// Parses an absolute URL.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL`. The message names the defect and its place, counted in bytes from 0,
  ///   and quotes nothing of the URL but its scheme.
  public init(_ string: String) throws(LupineError) {
    try self.init(string, maximumLength: Self.maximumLength)
  }

  /// Parses an absolute URL no longer than `maximumLength` bytes.
  package init(_ string: String, maximumLength: Int) throws(LupineError) {
    var parser = URLParser(maximumLength: maximumLength)
    self = try parser.url(string)
  }

  /// Takes over the text and offsets of a finished parse.
  init(string: String, parts: URLParts) {
    self.string = string
    scheme = parts.scheme
    hostKind = parts.hostKind
    explicitPort = UInt16(truncatingIfNeeded: parts.port)
    hostEnd = Int32(truncatingIfNeeded: parts.hostEnd)
    pathStart = Int32(truncatingIfNeeded: parts.pathStart)
    pathEnd = Int32(truncatingIfNeeded: parts.pathEnd)
    queryEnd = Int32(truncatingIfNeeded: parts.queryEnd)
  }
}

extension HTTPURL: Hashable {
  // The offsets follow from the text, so the text alone decides.

  /// Compares the normalised text.
  public static func == (left: HTTPURL, right: HTTPURL) -> Bool { left.string == right.string }

  /// Hashes the normalised text.
  public func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension HTTPURL: CustomStringConvertible {
  /// The whole URL, query values included; errors and logs show a shortened form instead.
  public var description: String { string }
}

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

extension HTTPURL {
  /// The same URL as Foundation's value, or `nil` when Foundation cannot read it.
  public var foundationURL: URL? { URL(string: string) }
}

extension URL: URLConvertible {
  /// Checks the URL's text; one without a scheme is appended to `base`.
  public func asURL(relativeTo base: HTTPURL?) throws(LupineError) -> HTTPURL {
    try absoluteString.asURL(relativeTo: base)
  }
}

extension URLComponents: URLConvertible {
  /// Checks the components' text; one without a scheme is appended to `base`.
  public func asURL(relativeTo base: HTTPURL?) throws(LupineError) -> HTTPURL {
    guard let string else { throw URLFault.components.error }
    return try string.asURL(relativeTo: base)
  }
}
