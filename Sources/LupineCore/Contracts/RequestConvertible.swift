/// Anything that describes a request, such as a case of a program's own routes.
public protocol RequestConvertible: Sendable {
  /// The request.
  func asRequest() throws -> OutgoingRequest

  /// The request, where the route is relative to a session's base URL. Default: `asRequest()`.
  func asRequest(relativeTo base: HTTPURL?) throws -> OutgoingRequest
}

extension RequestConvertible {
  /// The request without regard to a base URL.
  public func asRequest(relativeTo base: HTTPURL?) throws -> OutgoingRequest { try asRequest() }
}

extension OutgoingRequest: RequestConvertible {
  /// The request itself.
  public func asRequest() throws -> OutgoingRequest { self }
}
