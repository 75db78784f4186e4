import LupineSupport

extension HTTPURL {
  /// Returns the URL of a reference below this base URL.
  ///
  /// A relative reference is appended as if the base's path ended in `/`; a leading `/` changes nothing, so `users/42`
  /// and `/users/42` both are below the base. `?query`, `#fragment` and the empty reference keep the base's path. An
  /// absolute `http` or `https` URL is returned as it is. RFC 3986 section 5 differs; see `resolving(location:)` for
  /// its rules.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL` if `..` leads above the base, if the reference begins with `//` or
  ///   has another scheme, if the base has a query or a fragment, and for characters that are invalid in a URL.
  public func appending(reference: String) throws(LupineError) -> HTTPURL {
    switch try URLReference(reference, maximumLength: Self.maximumLength) {
    case .absolute: return try HTTPURL(reference)
    case .network: throw URLFault.networkPath.error
    case .absolutePath: return try joining(reference.dropFirst(), hasPath: true)
    case .relativePath: return try joining(reference[...], hasPath: true)
    case .query, .fragment, .empty: return try joining(reference[...], hasPath: false)
    }
  }

  private func joining(_ reference: Substring, hasPath: Bool) throws(LupineError) -> HTTPURL {
    if Int(pathEnd) != string.utf8.count { throw URLFault.baseWithQuery.error }
    if DotSegments.climb(reference) { throw URLFault.climbs.error }
    let separator = hasPath && string.utf8.last != .slash ? "/" : ""
    return try HTTPURL(string + separator + reference)
  }
}

extension HTTPURL {
  /// Returns the URL that the `Location` field of a response to this URL refers to.
  ///
  /// Resolves the reference as in RFC 3986 section 5.2. Without a fragment of its own the result inherits this URL's
  /// (RFC 9110 section 10.2.2). User information is dropped: a server's redirect never sets credentials.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL` for any scheme but `http` and `https`, and for characters that are
  ///   invalid in a URL.
  public func resolving(location: String) throws(LupineError) -> HTTPURL {
    let target: String
    switch try URLReference(location, maximumLength: Self.maximumLength) {
    case .absolute: target = location
    case .network: target = scheme.rawValue + ":" + location
    case .absolutePath: target = root + location
    case .relativePath: target = root + directory + location
    case .query: target = root + path + location
    case .fragment, .empty: target = root + requestTarget + location
    }
    var parser = URLParser(maximumLength: Self.maximumLength, dropsUserinfo: true)
    return try parser.url(inheritingFragment(target))
  }

  /// The path up to and including its last `/` (RFC 3986 section 5.2.3).
  private var directory: String {
    let path = path
    guard let slash = path.lastIndex(of: "/") else { return "/" }
    return String(path[...slash])
  }

  private func inheritingFragment(_ target: String) -> String {
    guard let fragment, !target.utf8.contains(.hash) else { return target }
    return target + "#" + fragment
  }
}

extension HTTPURL {
  /// Returns the URL with another query, or without one.
  ///
  /// - Parameter query: percent-encoded, without `?`. Bytes that are invalid in a query are percent-encoded.
  /// - Throws: `LupineError` of kind `.invalidURL` for `#`, `\`, control bytes and a `%` without two hexadecimal
  ///   digits.
  public func with(query: String?) throws(LupineError) -> HTTPURL {
    if query?.utf8.contains(.hash) == true { throw URLFault.delimiter("#", in: "query", encoded: "%23").error }
    let head = text(0, Int(pathEnd))
    let tail = text(Int(queryEnd), string.utf8.count)
    return try HTTPURL(query.map { head + "?" + $0 + tail } ?? head + tail)
  }

  /// Returns the URL with another path.
  ///
  /// - Parameter path: percent-encoded, beginning with `/`. Dot segments are removed, and bytes that are invalid in a
  ///   path are percent-encoded.
  /// - Throws: `LupineError` of kind `.invalidURL` if it does not begin with `/`, and for `?`, `#`, `\`, control bytes
  ///   and a `%` without two hexadecimal digits.
  public func with(path: String) throws(LupineError) -> HTTPURL {
    if path.utf8.first != .slash { throw URLFault.pathWithoutSlash.error }
    if path.utf8.contains(.hash) { throw URLFault.delimiter("#", in: "path", encoded: "%23").error }
    if path.utf8.contains(.question) { throw URLFault.delimiter("?", in: "path", encoded: "%3F").error }
    return try HTTPURL(root + path + text(Int(pathEnd), string.utf8.count))
  }

  /// Returns the URL with `items` appended to its query, joined by `&`.
  ///
  /// Without items the URL stays unchanged.
  ///
  /// - Throws: the same errors as `with(query:)`.
  public func appending(queryItems items: String) throws(LupineError) -> HTTPURL {
    if items.isEmpty { return self }
    guard let query, !query.isEmpty else { return try with(query: items) }
    return try with(query: query + "&" + items)
  }
}

extension HTTPURL {
  /// The host in lower case; an IPv6 address in canonical form, without brackets.
  ///
  /// A link-local address may have a zone, as in `fe80::1%eth0`; in the URL it is `%25eth0` (RFC 6874).
  ///
  /// A trailing dot is kept: `example.com.` and `example.com` are different hosts, in particular for credentials.
  public var host: String {
    guard hostKind == .ipv6 else { return text(hostStart, Int(hostEnd)) }
    let address = text(hostStart + 1, Int(hostEnd) - 1)
    return address.utf8.contains(.percent) ? address.replacing("%25", with: "%") : address
  }

  /// The host without the zone of a link-local address, which has a meaning on this machine alone.
  public var hostWithoutZone: String {
    hostKind == .ipv6 ? String(host.prefix { $0 != "%" }) : host
  }

  /// The port in the URL; `nil` if there is none or if it is the scheme's default.
  public var port: Int? { explicitPort == 0 ? nil : Int(explicitPort) }

  /// The port to connect to.
  public var effectivePort: Int { port ?? scheme.defaultPort }

  /// The host and, unless it is the default, the port, as in the `Host` field; IPv6 in brackets and without a zone.
  public var authority: String {
    let authority = text(hostStart, Int(pathStart))
    guard hostKind == .ipv6, authority.utf8.contains(.percent) else { return authority }
    return "[\(hostWithoutZone)]" + (port.map { ":\($0)" } ?? "")
  }

  /// The percent-encoded path, which always begins with `/`.
  public var path: String { text(Int(pathStart), Int(pathEnd)) }

  /// The percent-encoded query without its `?`; empty if only the `?` is present, `nil` without one.
  public var query: String? { pathEnd == queryEnd ? nil : text(Int(pathEnd) + 1, Int(queryEnd)) }

  /// The percent-encoded fragment without its `#`.
  ///
  /// It is never sent to the server.
  public var fragment: String? {
    Int(queryEnd) == string.utf8.count ? nil : text(Int(queryEnd) + 1, string.utf8.count)
  }

  /// The path and query: the request target in origin form (RFC 9112 section 3.2.1).
  public var requestTarget: String { text(Int(pathStart), Int(queryEnd)) }

  /// The target of a request that a proxy forwards, in absolute form (RFC 9112 section 3.2.2).
  public var absoluteTarget: String { text(0, Int(queryEnd)) }

  /// The URL up to its path, such as `https://example.com:8443`.
  var root: String { text(0, Int(pathStart)) }

  private var hostStart: Int { scheme == .http ? 7 : 8 }

  func text(_ start: Int, _ end: Int) -> String {
    let bytes = string.utf8
    if start == 0, end == bytes.count { return string }
    let lower = bytes.index(bytes.startIndex, offsetBy: start)
    let upper = bytes.index(bytes.startIndex, offsetBy: end)
    return String(string[lower..<upper])
  }
}
