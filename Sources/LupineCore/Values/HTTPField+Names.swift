public import HTTPTypes
import LupineSupport

extension HTTPField.Name {
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
