/// The parameters of a query or a form whose values are secrets by their name, such as `access_token`.
enum SecretParameters {
  private static let names: Set<String> = [
    "access_token", "api-key", "api_key", "apikey", "assertion", "auth", "client_assertion", "client_secret", "code",
    "code_verifier", "id_token", "jwt", "key", "pass", "passwd", "password", "pwd", "refresh_token", "secret",
    "session", "sessionid", "sid", "sig", "signature", "token", "x-amz-credential", "x-amz-security-token",
    "x-amz-signature",
  ]

  /// Whether the value of a parameter, or of a form's field, with this name is secret.
  static func isSecret(_ name: String) -> Bool { names.contains(name.lowercased()) }

  /// Returns the items of a query or a form, joined by `&`, with the values of secret ones replaced.
  static func redact(_ items: String) -> String {
    items.split(separator: "&", omittingEmptySubsequences: false).map { item in
      guard let sign = item.firstIndex(of: "="), isSecret(String(item[..<sign])) else { return item }
      return item[...sign] + "REDACTED"
    }.joined(separator: "&")
  }
}
