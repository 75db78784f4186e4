public import HTTPTypes
public import LupineFoundation
import LupineSupport

/// The fields whose values are secret, removed across origins and redacted in all text for people.
public struct SecretFields: Sendable, Hashable {
  /// `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, the signature of a message (RFC 9421), which is
  /// `Signature` and `Signature-Input`, and the fields in which well-known services take tokens and keys, such as
  /// `X-API-Key`, `Private-Token`, `X-Auth-Token`, `X-Vault-Token` and `X-Amz-Security-Token`.
  ///
  /// A field of your own service is not among them: mark it with `Session.Builder.secretField(_:)`.
  public static let standard = SecretFields(
    [.authorization, .proxyAuthorization, .cookie, .setCookie]
      + (["Signature", "Signature-Input"] + TokenFields.names).compactMap { HTTPField.Name($0) })

  /// Sorted and without duplicates, so that equal sets compare equal.
  private var names: [HTTPField.Name]

  /// Marks exactly these names.
  public init(names: Set<HTTPField.Name>) { self.init(Array(names)) }

  private init(_ names: [HTTPField.Name]) { self.names = names.sorted { $0.canonicalName < $1.canonicalName } }

  /// Marks one more name.
  public mutating func insert(_ name: HTTPField.Name) {
    if !contains(name) { self = SecretFields(names + [name]) }
  }

  /// Whether the field's value is secret.
  public func contains(_ name: HTTPField.Name) -> Bool {
    let text = name.canonicalName
    var (low, high) = (0, names.count)
    while low < high {
      let middle = (low + high) / 2
      if names[middle].canonicalName < text { low = middle + 1 } else { high = middle }
    }
    return low < names.count && names[low] == name
  }

  /// Returns the fields with every secret value replaced by `<redacted>`.
  public func redact(_ fields: HTTPFields) -> HTTPFields {
    guard fields.contains(where: { contains($0.name) }) else { return fields }
    return HTTPFields(fields.map { contains($0.name) ? HTTPField(name: $0.name, value: "<redacted>") : $0 })
  }

  /// Returns the fields without the secret ones.
  func strip(_ fields: HTTPFields) -> HTTPFields {
    guard fields.contains(where: { contains($0.name) }) else { return fields }
    return HTTPFields(fields.filter { !contains($0.name) })
  }
}

/// The fields of a request as events show them: without the values of secret fields.
public struct SentFields: Sendable, HidesSecrets {
  private let fields: HTTPFields
  private let secrets: SecretFields

  /// Describes the fields of a request.
  ///
  /// - Parameter secrets: the fields whose values are secret. Default: the standard ones.
  public init(_ fields: HTTPFields, secrets: SecretFields = .standard) {
    self.fields = fields
    self.secrets = secrets
  }

  /// The fields that the session sends, with secret values replaced; the transport adds `Host` and the body's framing.
  ///
  /// The values are replaced each time when the property is read, so that an event costs nothing for them.
  public var redacted: HTTPFields { secrets.redact(fields) }

  /// The fields on one line, with secret values replaced.
  public var description: String { redacted.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
}

extension HTTPResponse {
  /// Returns the head with secret values redacted, and the URLs of redirects without user information and query values.
  ///
  /// For code that records or shows responses.
  ///
  /// - Parameter secrets: the fields whose values are secret, as `TransferContext.secretFields` has them. Default: the
  ///   standard ones.
  public func redacted(_ secrets: SecretFields = .standard) -> HTTPResponse {
    var copy = self
    copy.headerFields = secrets.redact(headerFields)
    copy.redactURLs(in: .location)
    copy.redactURLs(in: .contentLocation)
    return copy
  }

  private mutating func redactURLs(in name: HTTPField.Name) {
    guard headerFields.contains(name) else { return }
    headerFields[values: name] = headerFields[values: name].map(Self.withoutSecrets)
  }

  private static func withoutSecrets(_ reference: String) -> String {
    let address = reference.prefix { $0 != "?" && $0 != "#" }
    let query = reference.contains("?") ? "?…" : ""
    guard let at = address.lastIndex(of: "@") else { return address + query }
    return "…" + address[at...] + query
  }
}

/// The parameters of a query, a form or JSON that are secret by name, such as `access_token`.
public enum SecretParameters {
  /// In lower case, without hyphens and underscores.
  private static let names = parameterNames.union(TokenFields.names.map { plain($0) })

  private static let parameterNames: Set<String> = [
    "accesstoken", "apikey", "assertion", "auth", "authtoken", "clientassertion", "clientsecret", "code",
    "codeverifier", "csrftoken", "currentpassword", "idtoken", "jwt", "key", "newpassword", "oldpassword", "pass",
    "passphrase", "passwd", "password", "passwordconfirmation", "privatekey", "pwd", "refreshtoken", "secret",
    "session", "sessionid", "sessiontoken", "sid", "sig", "signature", "token", "xamzcredential", "xamzsecuritytoken",
    "xamzsignature",
  ]

  /// The text that replaces a secret value.
  public static let replacement = "REDACTED"

  /// Whether the value of a parameter, a form field, a JSON member or a header field with this name is secret.
  ///
  /// For a nested name, such as `user[password]` or `user.password`, one secret part is enough.
  public static func isSecret(_ name: String) -> Bool {
    name.split { $0 == "[" || $0 == "]" || $0 == "." }.contains { part in
      names.contains(plain(part))
    }
  }

  /// Whether the query of a URL has a parameter whose name is that of a secret, also in percent-encoding.
  public static func isInQuery(of url: HTTPURL) -> Bool {
    guard let query = url.query else { return false }
    return query.split(separator: "&").contains { item in
      isSecret(item.prefix { $0 != "=" }.percentDecoded(plusIsSpace: true))
    }
  }

  private static func plain(_ name: some StringProtocol) -> String {
    name.lowercased().filter { $0 != "-" && $0 != "_" }
  }

  /// Returns the items of a query with all values replaced.
  ///
  /// An item without a name or without a value, such as a token in Base64, is replaced as a whole because it may be a
  /// secret.
  static func maskAll(_ items: String) -> String {
    items.split(separator: "&", omittingEmptySubsequences: false).map { item in
      guard let sign = item.firstIndex(of: "="), item[sign...].contains(where: { $0 != "=" }) else {
        return item.isEmpty ? "" : replacement
      }
      return item[...sign] + replacement
    }.joined(separator: "&")
  }

  /// Returns the items of a query or a form, joined by `&`, with secret values replaced.
  ///
  /// - Parameter substitute: returns the replacement for the secret value with this index, from 0.
  public static func redact(_ items: String, by substitute: (Int) -> String = { _ in replacement }) -> String {
    String(decoding: redact(Data(items.utf8), by: substitute), as: UTF8.self)
  }

  /// Returns the items as `redact` does, for any bytes.
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

/// A value that shows only its description: `dump`, debuggers and messages of failed tests do not reveal its other
/// contents.
public protocol HidesSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension HidesSecrets {
  /// The same as the description.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
