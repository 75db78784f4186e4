import HTTPTypes
import LupineCore
import LupineFoundation

/// Decides which names are secret, by the redaction and by the fields that a session marks.
struct SecretRules: Sendable {
  let redaction: Redaction
  let secretFields: SecretFields
  /// Whether numbers of JSON may be placeholders, as in a request whose values come from a recording.
  ///
  /// In a request to a server any number is a value.
  let knowsNumbers: Bool

  init(
    _ redaction: Redaction = Redaction(), secretFields: SecretFields = .standard, knowsNumbers: Bool = false
  ) {
    self.redaction = redaction
    self.secretFields = secretFields
    self.knowsNumbers = knowsNumbers
  }

  /// The name without the differences that do not count: letter case, hyphens and underscores.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "-" && $0 != "_" } }

  func isSecret(field name: HTTPField.Name) -> Bool {
    if redaction.harmlessFields.contains(name) { return false }
    if secretFields.contains(name) || SecretFields.standard.contains(name) || redaction.fields.contains(name) {
      return true
    }
    let text = name.canonicalName
    return SecretParameters.isSecret(text.hasPrefix("x-") ? String(text.dropFirst(2)) : text)
  }

  /// Whether the values of a parameter, a member or a part with this name are secret.
  ///
  /// A name of a field counts too, because servers return the fields that they receive.
  func isSecret(member name: String) -> Bool {
    let parts = name.split { $0 == "[" || $0 == "]" || $0 == "." }.map { Self.plain(String($0)) }
    if parts.contains(where: redaction.harmlessMembers.contains) { return false }
    if SecretParameters.isSecret(name) || parts.contains(where: redaction.members.contains) { return true }
    return HTTPField.Name(name).map(isSecret(field:)) ?? false
  }

  /// Whether a value is a placeholder already, or named as harmless.
  func mayStay(_ value: [UInt8]) -> Bool {
    value.isEmpty || Placeholder.number(of: value) != nil
      || !redaction.harmlessTexts.isEmpty && redaction.harmlessTexts.contains(String(decoding: value, as: UTF8.self))
  }
}

extension SecretRules {
  /// Whether a text that has the shape of a token is named as harmless, alone or as a part of a longer text.
  func isHarmless(token: String) -> Bool { redaction.harmlessTexts.contains { $0.contains(token) } }

  func isHarmless(coding: String) -> Bool { redaction.harmlessCodings.contains(coding.lowercased()) }
}

/// A secret at a place of a text.
struct FoundSecret: Hashable {
  /// The bytes that a placeholder replaces.
  var range: Range<Int>
  /// The decoded value, by which equal secrets are recognized.
  var value: [UInt8]
  /// Whether the bytes are a number of JSON, in whose place only a number may stand.
  var isNumber = false
  /// Further values that may stand nowhere else, such as the password of a credential.
  var related: [[UInt8]] = []
}
