import LupineSupport

/// What a reference begins with, which decides how it is joined to another URL (RFC 3986 section 4.2).
enum URLReference {
  /// `http:` or `https:`; whether the rest is a URL is the parser's question.
  case absolute
  /// `//host`
  case network
  /// `/path`
  case absolutePath
  /// `path`, whose first segment has no colon.
  case relativePath
  /// `?query`
  case query
  /// `#fragment`
  case fragment
  /// Nothing at all.
  case empty

  /// Looks at the first segment; another scheme than `http` and `https` is an error.
  init(_ text: String, maximumLength: Int) throws(LupineError) {
    let view = text.utf8
    let bytes = view.span
    if bytes.count > maximumLength { throw URLFault.tooLong(limit: maximumLength).error }
    if bytes.isEmpty {
      self = .empty
      return
    }
    if bytes[0] == .space || bytes[bytes.count - 1] == .space { throw URLFault.outerSpace.error }
    switch bytes[0] {
    case .slash: self = bytes.count > 1 && bytes[1] == .slash ? .network : .absolutePath
    case .question: self = .query
    case .hash: self = .fragment
    default: self = try Self.named(bytes)
    }
  }

  private static func named(_ bytes: Span<UInt8>) throws(LupineError) -> URLReference {
    guard let colon = URLScheme.colon(in: bytes) else { return .relativePath }
    if URLScheme.known(bytes, end: colon) == nil { throw URLScheme.fault(bytes, colon: colon).error }
    return .absolute
  }
}

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
