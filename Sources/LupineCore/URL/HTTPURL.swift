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
