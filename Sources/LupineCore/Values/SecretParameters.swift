public import FoundationEssentials
import LupineSupport

/// The parameters of a query, a form or JSON whose values are secrets by their name, such as `access_token`.
public enum SecretParameters {
  /// Without capitals, hyphens and underscores.
  private static let names: Set<String> = [
    "accesstoken", "apikey", "assertion", "auth", "authtoken", "clientassertion", "clientsecret", "code",
    "codeverifier", "csrftoken", "currentpassword", "idtoken", "jwt", "key", "newpassword", "oldpassword", "pass",
    "passphrase", "passwd", "password", "passwordconfirmation", "privatekey", "pwd", "refreshtoken", "secret",
    "session", "sessionid", "sessiontoken", "sid", "sig", "signature", "token", "xamzcredential", "xamzsecuritytoken",
    "xamzsignature",
  ]

  /// What stands for a value.
  public static let replacement = "REDACTED"

  /// Whether the value of a parameter, of a form's field or of a member with this name is secret.
  ///
  /// Of a nested name, such as `user[password]` or `user.password`, any part says so.
  public static func isSecret(_ name: String) -> Bool {
    name.split { $0 == "[" || $0 == "]" || $0 == "." }.contains { part in
      names.contains(part.lowercased().filter { $0 != "-" && $0 != "_" })
    }
  }

  /// Returns the items of a query with all values replaced; one without a name, or with a name alone, such as a token in
  /// base64, may be a secret as a whole.
  static func maskAll(_ items: String) -> String {
    items.split(separator: "&", omittingEmptySubsequences: false).map { item in
      guard let sign = item.firstIndex(of: "="), item[sign...].contains(where: { $0 != "=" }) else {
        return item.isEmpty ? "" : replacement
      }
      return item[...sign] + replacement
    }.joined(separator: "&")
  }

  /// Returns the items of a query or a form, joined by `&`, with the values of secret ones replaced.
  ///
  /// - Parameter substitute: what stands for the value of the first secret one, of the second and so on, from 0.
  public static func redact(_ items: String, by substitute: (Int) -> String = { _ in replacement }) -> String {
    String(decoding: redact(Data(items.utf8), by: substitute), as: UTF8.self)
  }

  /// Returns the items as `redact` does, whatever bytes they are.
  public static func redact(_ items: Data, by substitute: (Int) -> String = { _ in replacement }) -> Data {
    let ampersand = UInt8(ascii: "&")
    var count = 0
    let redacted = items.split(separator: ampersand, omittingEmptySubsequences: false).map { item in
      guard let sign = item.firstIndex(of: UInt8(ascii: "=")), isSecret(decoded(item[..<sign])) else { return item }
      defer { count += 1 }
      return item[...sign] + Data(substitute(count).utf8)
    }
    return Data(redacted.joined(separator: [ampersand]))
  }

  private static func decoded(_ name: Data) -> String {
    let text = String(decoding: name, as: UTF8.self)
    return String(decoding: PercentCoding.decoded(text[...], plusIsSpace: true).bytes, as: UTF8.self)
  }
}
