extension HTTPURL {
  /// The host in lower case; an IPv6 address in canonical form, without brackets.
  ///
  /// A trailing dot stays: `example.com.` is another host than `example.com`, for credentials above all.
  public var host: String {
    hostKind == .ipv6 ? text(hostStart + 1, Int(hostEnd) - 1) : text(hostStart, Int(hostEnd))
  }

  /// The port the URL names, or `nil` when it names none or the scheme's default.
  public var port: Int? { explicitPort == 0 ? nil : Int(explicitPort) }

  /// The port to connect to.
  public var effectivePort: Int { port ?? scheme.defaultPort }

  /// The host and, unless it is the default, the port, as the `Host` field carries them; IPv6 in brackets.
  public var authority: String { text(hostStart, Int(pathStart)) }

  /// The percent-encoded path; always begins with `/`.
  public var path: String { text(Int(pathStart), Int(pathEnd)) }

  /// The percent-encoded query without its `?`; empty when only the `?` is there, `nil` without one.
  public var query: String? { pathEnd == queryEnd ? nil : text(Int(pathEnd) + 1, Int(queryEnd)) }

  /// The percent-encoded fragment without its `#`; it never goes to the server.
  public var fragment: String? {
    Int(queryEnd) == string.utf8.count ? nil : text(Int(queryEnd) + 1, string.utf8.count)
  }

  /// The path and query: the target of a request in origin form (RFC 9112 section 3.2.1).
  public var requestTarget: String { text(Int(pathStart), Int(queryEnd)) }

  /// The target of a request that a proxy forwards, in absolute form (RFC 9112 section 3.2.2).
  public var absoluteTarget: String { root + requestTarget }

  /// The URL up to its path, such as `https://example.com:8443`.
  var root: String { text(0, Int(pathStart)) }

  private var hostStart: Int { scheme == .http ? 7 : 8 }

  func text(_ start: Int, _ end: Int) -> String {
    let bytes = string.utf8
    let lower = bytes.index(bytes.startIndex, offsetBy: start)
    let upper = bytes.index(bytes.startIndex, offsetBy: end)
    return String(string[lower..<upper])
  }
}
