import LupineSupport

extension HTTPURL {
  /// Returns the URL that a reference names below this base URL.
  ///
  /// A relative reference is appended as if the base's path ended in `/`; a leading `/` changes nothing, so `users/42`
  /// and `/users/42` both lie below the base. `?query`, `#fragment` and the empty reference keep the base's path. An
  /// absolute `http` or `https` URL is returned as it is. This is not RFC 3986 section 5, which is in
  /// `resolving(location:)`.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL` when `..` climbs above the base, when the reference begins with `//`
  ///   or names a scheme, when the base has a query or a fragment, and for what no URL may hold.
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
