/// A type that describes a request, such as an enum of a program's routes.
public protocol RequestConvertible: Sendable {
  /// Returns the request.
  func asRequest() throws -> OutgoingRequest

  /// Returns the request, resolved against a session's base URL if the route is relative.
  ///
  /// Default: `asRequest()`.
  func asRequest(relativeTo base: HTTPURL?) throws -> OutgoingRequest
}

extension RequestConvertible {
  /// Returns `asRequest()` and ignores the base URL.
  public func asRequest(relativeTo base: HTTPURL?) throws -> OutgoingRequest { try asRequest() }
}

extension OutgoingRequest: RequestConvertible {
  /// The request itself.
  public func asRequest() throws -> OutgoingRequest { self }
}
