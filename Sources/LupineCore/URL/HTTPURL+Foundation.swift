public import FoundationEssentials

extension HTTPURL {
  /// The same URL as Foundation's value, or `nil` when Foundation cannot read it.
  public var foundationURL: URL? { URL(string: string) }
}

extension URL: URLConvertible {
  /// Checks the URL's text; one without a scheme is appended to `base`.
  public func asURL(relativeTo base: HTTPURL?) throws(LupineError) -> HTTPURL {
    try absoluteString.asURL(relativeTo: base)
  }
}

extension URLComponents: URLConvertible {
  /// Checks the components' text; one without a scheme is appended to `base`.
  public func asURL(relativeTo base: HTTPURL?) throws(LupineError) -> HTTPURL {
    guard let string else { throw URLFault.components.error }
    return try string.asURL(relativeTo: base)
  }
}
