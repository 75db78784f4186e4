public import LupineFoundation
import LupineSupport

/// A validated and normalised absolute `http` or `https` URL.
///
/// Every part of the library uses this value, so that policy, cookies, the connection pool and the transport agree
/// about the host. Two values are equal if their normalised text is equal: the scheme and the host in lower case, no
/// default port, no user information, no dot segments, a path of at least `/`, and every byte that RFC 3986 does not
/// allow at its position percent-encoded. `HTTPURL(url.string)` returns the same value.
public struct HTTPURL: Sendable {
  /// The maximum length of a URL in bytes, before and after normalisation: 64 KiB.
  public static let maximumLength = 65_536

  /// The whole URL, normalised and in ASCII.
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
  /// - Throws: `LupineError` of kind `.invalidURL`. The message contains the defect and its position in bytes from 0,
  ///   and quotes only the scheme of the URL.
  public init(_ string: String) throws(LupineError) {
    try self.init(string, maximumLength: Self.maximumLength)
  }

  /// Parses an absolute URL no longer than `maximumLength` bytes.
  init(_ string: String, maximumLength: Int) throws(LupineError) {
    var parser = URLParser(maximumLength: maximumLength)
    self = try parser.url(string)
  }

  /// Creates a URL from the text and offsets of a finished parse.
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
  // The offsets follow from the text, so a comparison of the text is enough.

  /// Compares the normalised text.
  public static func == (left: HTTPURL, right: HTTPURL) -> Bool { left.string == right.string }

  /// Hashes the normalised text.
  public func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension HTTPURL: CustomStringConvertible {
  /// The whole URL with its query values.
  ///
  /// Errors and logs show a shortened form instead.
  public var description: String { string }
}

extension HTTPURL {
  /// The supported schemes.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    /// Plain HTTP.
    case http
    /// HTTP over TLS.
    case https

    /// The port if the URL contains none: 80 or 443.
    var defaultPort: Int {
      switch self {
      case .http: 80
      case .https: 443
      }
    }
  }

  /// The form of a URL's host.
  public enum HostKind: Sendable, Hashable {
    /// A host name.
    case name
    /// An IPv4 address in dotted decimal.
    case ipv4
    /// An IPv6 address.
    case ipv6
  }
}

extension HTTPURL {
  /// The scheme, host and port that credentials belong to (RFC 9110 section 4.3.1).
  public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The scheme.
    public let scheme: Scheme
    /// The host as in `HTTPURL.host`.
    ///
    /// A host with a trailing dot is a different host.
    public let host: String
    /// The port to connect to, also if it is the scheme's default.
    public let port: Int

    /// Creates an origin.
    ///
    /// The host is not normalised.
    public init(scheme: Scheme, host: String, port: Int) {
      self.scheme = scheme
      self.host = host
      self.port = port
    }

    /// The origin as in the `Origin` field: without the default port, IPv6 in brackets.
    public var description: String {
      let name = host.utf8.contains(.colon) ? "[\(host.replacing("%", with: "%25"))]" : host
      let text = scheme.rawValue + "://" + name
      return port == scheme.defaultPort ? text : "\(text):\(port)"
    }
  }

  /// The origin of the URL.
  public var origin: Origin { Origin(scheme: scheme, host: host, port: effectivePort) }

  /// Whether both URLs have the same origin.
  ///
  /// Compares the normalised text in place, where a comparison of `origin` copies both hosts.
  public func hasSameOrigin(as other: HTTPURL) -> Bool {
    withRootBytes { root in other.withRootBytes { root.isEqual(to: $0) } }
  }

  /// Calls the closure with the text before the path: the scheme, the host and a port that is not the default.
  private func withRootBytes(_ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    string.utf8.withContiguousStorageIfAvailable { bytes in
      body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<Int(pathStart)]))
    } ?? false
  }
}

extension HTTPURL {
  /// Whether the host is a loopback name (RFC 6761 section 6.3) or a loopback address.
  public var isLoopback: Bool {
    switch hostKind {
    case .name: ["localhost", "localhost."].contains { host == $0 || host.hasSuffix("." + $0) }
    case .ipv4: host.hasPrefix("127.")
    case .ipv6: host == "::1"
    }
  }
}

extension HTTPURL {
  /// The URL as a Foundation `URL`; `nil` if Foundation cannot parse it.
  public var foundationURL: URL? { URL(string: string) }
}

extension URL: URLConvertible {
  /// Parses the URL's text.
  ///
  /// A URL without a scheme is appended to `base`.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL`.
  public func asURL(relativeTo base: HTTPURL?) throws(LupineError) -> HTTPURL {
    try absoluteString.asURL(relativeTo: base)
  }
}

extension URLComponents: URLConvertible {
  /// Parses the components' text.
  ///
  /// Components without a scheme are appended to `base`.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL`.
  public func asURL(relativeTo base: HTTPURL?) throws(LupineError) -> HTTPURL {
    guard let string else { throw URLFault.components.error }
    return try string.asURL(relativeTo: base)
  }
}
