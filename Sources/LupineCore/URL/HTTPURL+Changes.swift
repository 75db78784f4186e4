import LupineSupport

extension HTTPURL {
  /// Returns the URL with another query, or without one.
  ///
  /// - Parameter query: percent-encoded, without `?`; bytes a query cannot hold are encoded.
  /// - Throws: `LupineError` of kind `.invalidURL` for `#`, `\`, control bytes and a `%` that encodes nothing.
  public func with(query: String?) throws(LupineError) -> HTTPURL {
    if query?.utf8.contains(.hash) == true { throw URLFault.delimiter("#", in: "query", encoded: "%23").error }
    let head = text(0, Int(pathEnd))
    let tail = text(Int(queryEnd), string.utf8.count)
    return try HTTPURL(query.map { head + "?" + $0 + tail } ?? head + tail)
  }

  /// Returns the URL with another path.
  ///
  /// - Parameter path: percent-encoded, beginning with `/`; dot segments are removed, bytes a path cannot hold encoded.
  /// - Throws: `LupineError` of kind `.invalidURL` when it does not begin with `/`, and for `?`, `#`, `\`, control bytes
  ///   and a `%` that encodes nothing.
  public func with(path: String) throws(LupineError) -> HTTPURL {
    if path.utf8.first != .slash { throw URLFault.pathWithoutSlash.error }
    if path.utf8.contains(.hash) { throw URLFault.delimiter("#", in: "path", encoded: "%23").error }
    if path.utf8.contains(.question) { throw URLFault.delimiter("?", in: "path", encoded: "%3F").error }
    return try HTTPURL(root + path + text(Int(pathEnd), string.utf8.count))
  }

  /// Returns the URL with `items` behind its query, joined by `&`.
  ///
  /// Without items the URL stays as it is.
  ///
  /// - Throws: as `with(query:)`.
  public func appending(queryItems items: String) throws(LupineError) -> HTTPURL {
    if items.isEmpty { return self }
    guard let query, !query.isEmpty else { return try with(query: items) }
    return try with(query: query + "&" + items)
  }
}
