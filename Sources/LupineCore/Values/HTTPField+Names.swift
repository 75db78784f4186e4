public import HTTPTypes

extension HTTPField.Name {
  /// Creates a name from a constant.
  ///
  /// A constant that is not a token (RFC 9110 section 5.6.2) is a programming error.
  public init(constant: StaticString) {
    guard let name = HTTPField.Name("\(constant)") else { preconditionFailure("\(constant) is no name of a field.") }
    self = name
  }

  /// `Host`, for which swift-http-types has no constant because its requests have an authority.
  package static let host = HTTPField.Name(constant: "Host")

  /// `Idempotency-Key`, by which a server recognises a repeated request (draft-ietf-httpapi-idempotency-key-header).
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
