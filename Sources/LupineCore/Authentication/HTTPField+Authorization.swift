public import HTTPTypes

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
