import LupineSupport

/// The form of a URL reference, which decides how it is resolved (RFC 3986 section 4.2).
enum URLReference {
  /// `http:` or `https:`.
  ///
  /// The parser validates the rest.
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
  /// An empty reference.
  case empty

  /// Classifies the reference by its first segment; throws for a scheme other than `http` and `https`.
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

/// A type that supplies the URL of a request: a string, Foundation's `URL` or `URLComponents`, an `HTTPURL`, or a
/// custom type.
public protocol URLConvertible: Sendable {
  /// Returns the URL, resolved against the session's base URL if there is one.
  ///
  /// - Throws: an error if there is no valid URL; the library's own types throw `LupineError` of kind `.invalidURL`.
  func asURL(relativeTo base: HTTPURL?) throws -> HTTPURL
}

extension URLConvertible {
  /// Returns the URL, which must be absolute.
  ///
  /// - Throws: the errors of `asURL(relativeTo:)`.
  public func asURL() throws -> HTTPURL { try asURL(relativeTo: nil) }
}

extension HTTPURL: URLConvertible {
  /// Returns the URL itself, which is absolute.
  public func asURL(relativeTo base: HTTPURL?) -> HTTPURL { self }
}

extension String: URLConvertible {
  /// Parses the string as `HTTPURL.appending(reference:)` does if there is a base URL, otherwise as an absolute URL.
  ///
  /// - Throws: `LupineError` of kind `.invalidURL`.
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
