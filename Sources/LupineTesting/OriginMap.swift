public import LupineCore

/// Sends requests for one origin to another, such as a server on loopback that stands in for a public one.
public struct OriginMap: RequestAdapter {
  private let origins: [String: String]

  /// Maps origins, such as `https://api.example.com`, to others, such as `http://127.0.0.1:8080`.
  public init(_ origins: [String: String]) { self.origins = origins }

  /// Replaces the origin where it is one of those mapped; path and query stay.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` where an origin is none.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard let origin = origins[request.url.origin.description] else { return request }
    var request = request
    request.url = try HTTPURL(origin + request.url.requestTarget)
    return request
  }
}
