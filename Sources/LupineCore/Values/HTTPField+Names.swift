public import HTTPTypes

extension HTTPField.Name {
  /// A name that stands in the source, where one that is no token (RFC 9110 section 5.6.2) is a mistake of whoever wrote it.
  public init(constant: StaticString) {
    guard let name = HTTPField.Name("\(constant)") else { preconditionFailure("\(constant) is no name of a field.") }
    self = name
  }

  /// `Host`, which swift-http-types keeps out of its list since requests carry an authority.
  package static let host = HTTPField.Name(constant: "Host")

  /// `Idempotency-Key`, which tells a server that two requests are the same one (draft-ietf-httpapi-idempotency-key-header).
  public static let idempotencyKey = HTTPField.Name(constant: "Idempotency-Key")
}

extension HTTPField {
  /// `Authorization` with the Basic scheme (RFC 7617), in UTF-8.
  public static func authorization(username: String, password: String) -> HTTPField {
    HTTPField(name: .authorization, value: BasicScheme.value(username, password))
  }

  /// `Authorization` with the Bearer scheme (RFC 6750).
  public static func authorization(bearerToken: String) -> HTTPField {
    HTTPField(name: .authorization, value: "Bearer \(bearerToken)")
  }
}
