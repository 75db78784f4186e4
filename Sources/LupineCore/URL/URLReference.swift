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
