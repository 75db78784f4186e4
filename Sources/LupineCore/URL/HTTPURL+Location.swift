import LupineSupport

extension HTTPURL {
  /// Returns the URL that the `Location` field of a response to this URL names.
  ///
  /// Resolves as RFC 3986 section 5.2 says. Without a fragment of its own the result inherits this URL's (RFC 9110
  /// section 10.2.2). User information is dropped: a server's redirect never sets credentials.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL` for any scheme but `http` and `https`, and for what no URL may hold.
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
