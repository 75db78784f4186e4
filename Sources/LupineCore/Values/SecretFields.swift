public import HTTPTypes

/// The fields whose values are secret: stripped across origins, redacted wherever a person might read them.
public struct SecretFields: Sendable, Hashable {
  /// `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, `X-API-Key` and `X-Amz-Security-Token`.
  public static let standard = SecretFields(
    [.authorization, .proxyAuthorization, .cookie, .setCookie]
      + ["X-API-Key", "X-Amz-Security-Token"].compactMap { HTTPField.Name($0) })

  /// Each once, and in order, so that the same names are equal; they are few, and a set of them would cost a program that
  /// starts more than its first request does.
  private var names: [HTTPField.Name]

  /// Marks exactly these names.
  public init(names: Set<HTTPField.Name>) { self.init(Array(names)) }

  private init(_ names: [HTTPField.Name]) { self.names = names.sorted { $0.canonicalName < $1.canonicalName } }

  /// Marks one name more.
  public mutating func insert(_ name: HTTPField.Name) {
    if !contains(name) { self = SecretFields(names + [name]) }
  }

  /// Whether the field's value is secret.
  public func contains(_ name: HTTPField.Name) -> Bool { names.contains(name) }

  /// Returns the fields with every secret value replaced by `<redacted>`.
  public func redact(_ fields: HTTPFields) -> HTTPFields {
    guard fields.contains(where: { contains($0.name) }) else { return fields }
    return HTTPFields(fields.map { contains($0.name) ? HTTPField(name: $0.name, value: "<redacted>") : $0 })
  }

  /// Returns the fields without the secret ones.
  public func strip(_ fields: HTTPFields) -> HTTPFields {
    guard fields.contains(where: { contains($0.name) }) else { return fields }
    return HTTPFields(fields.filter { !contains($0.name) })
  }
}

extension HTTPResponse {
  /// Returns the head with secret values redacted, and the URLs of redirects without user information and query values.
  package func redacted(_ secrets: SecretFields = .standard) -> HTTPResponse {
    var copy = self
    copy.headerFields = secrets.redact(headerFields)
    for name in [HTTPField.Name.location, .contentLocation] where headerFields.contains(name) {
      copy.headerFields[values: name] = headerFields[values: name].map(Self.withoutSecrets)
    }
    return copy
  }

  private static func withoutSecrets(_ reference: String) -> String {
    let address = reference.prefix { $0 != "?" && $0 != "#" }
    let query = reference.contains("?") ? "?…" : ""
    guard let at = address.lastIndex(of: "@") else { return address + query }
    return "…" + address[at...] + query
  }
}
