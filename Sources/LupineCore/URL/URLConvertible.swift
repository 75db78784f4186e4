/// Names the URL of a request: a string, Foundation's `URL` or `URLComponents`, an `HTTPURL`, or a type of one's own.
public protocol URLConvertible: Sendable {
  /// Returns the URL, relative to the session's base URL when it has one.
  ///
  /// - Throws: what makes it no URL; the library's own types throw `LupineError` of kind `.invalidURL`.
  func asURL(relativeTo base: HTTPURL?) throws -> HTTPURL
}

extension URLConvertible {
  /// Returns the URL, which must be absolute.
  public func asURL() throws -> HTTPURL { try asURL(relativeTo: nil) }
}

extension HTTPURL: URLConvertible {
  /// Returns the URL itself: it is absolute already.
  public func asURL(relativeTo base: HTTPURL?) -> HTTPURL { self }
}

extension String: URLConvertible {
  /// Parses the string; with a base URL as `HTTPURL.appending(reference:)` does, without one as an absolute URL.
  public func asURL(relativeTo base: HTTPURL?) throws(LupineError) -> HTTPURL {
    if let base { return try base.appending(reference: self) }
    do throws(LupineError) {
      return try HTTPURL(self)
    } catch {
      if case .absolute = try URLReference(self, maximumLength: HTTPURL.maximumLength) { throw error }
      throw URLFault.noBase.error
    }
  }
}
