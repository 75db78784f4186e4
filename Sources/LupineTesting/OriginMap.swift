public import LupineCore
public import LupineSession

/// Redirects requests from one origin to another, such as from a public server to a test server on loopback.
public struct OriginMap: RequestAdapter {
  private let origins: Result<[HTTPURL.Origin: String], LupineError>

  /// Maps origins, such as `https://api.example.com`, to others, such as `http://127.0.0.1:8080`.
  ///
  /// The comparison of origins ignores case, a default port and a trailing `/`. A target may have a path, which
  /// precedes the request's own path.
  public init(_ origins: [String: String]) {
    self.origins = Result { () throws(LupineError) in try Self.parse(origins) }
  }

  /// Replaces the origin if it is mapped; the path and the query stay.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` if any key or target is invalid, or an origin is mapped twice. An
  ///   invalid map therefore sends no request to the original server.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard let origin = try origins.get()[request.url.origin] else { return request }
    var request = request
    request.url = try HTTPURL(origin + request.url.requestTarget)
    return request
  }

  private static func parse(_ origins: [String: String]) throws(LupineError) -> [HTTPURL.Origin: String] {
    var parsed: [HTTPURL.Origin: String] = [:]
    for (text, other) in origins {
      let url = try HTTPURL(text)
      guard url.path == "/", url.query == nil, url.fragment == nil else {
        throw LupineError(.invalidURL, "\"\(text)\" in the OriginMap is not an origin; the origin is \(url.origin).")
      }
      let target = try HTTPURL(other)
      guard target.query == nil, target.fragment == nil else {
        throw LupineError(.invalidURL, "\"\(other)\" in the OriginMap has more than an origin and a path.")
      }
      let prefix = target.string.hasSuffix("/") ? String(target.string.dropLast()) : target.string
      guard parsed.updateValue(prefix, forKey: url.origin) == nil else {
        throw LupineError(.invalidURL, "The OriginMap has \(url.origin) twice.")
      }
    }
    return parsed
  }
}
