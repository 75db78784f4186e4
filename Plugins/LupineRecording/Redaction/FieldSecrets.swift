import HTTPTypes
import LupineFoundation
import LupineSupport

/// Finds the secrets in the value of a field.
extension SecretRules {
  /// The schemes of RFC 9110 section 11 whose names stay in front of a credential.
  ///
  /// Another first word may be a part of the secret.
  private static let schemes: Set<String> = [
    "basic", "bearer", "digest", "negotiate", "ntlm", "kerberos", "mutual", "hoba", "dpop", "token", "oauth", "apikey",
    "api-key", "aws4-hmac-sha256", "aws4-ecdsa-p256-sha256", "hawk", "vapid", "privatetoken", "gnap", "signature",
    "scram-sha-1", "scram-sha-256", "googlelogin", "sharedkey", "sharedaccesssignature", "key", "jwt", "splunk",
  ]

  func secrets(inField name: HTTPField.Name, _ value: MappedBytes) -> [FoundSecret] {
    isSecret(field: name) ? secrets(ofSecretField: name, value) : secretsInURLs(value)
  }

  /// The secrets of a value that is secret: those of each cookie, a credential without its scheme, or the whole value.
  func secrets(ofSecretField name: HTTPField.Name?, _ value: MappedBytes) -> [FoundSecret] {
    switch name {
    case HTTPField.Name.cookie: value.split(UInt8(ascii: ";")).flatMap { secrets(inCookie: $0) }
    case HTTPField.Name.setCookie: value.split(UInt8(ascii: ";")).prefix(1).flatMap { secrets(inCookie: $0) }
    default: secrets(inCredential: value.trimmed)
    }
  }

  private func secrets(inCookie pair: MappedBytes) -> [FoundSecret] {
    guard let (_, value) = pair.cut(at: UInt8(ascii: "=")) else { return [] }
    return secret(Self.unquoted(value.trimmed))
  }

  private static func unquoted(_ value: MappedBytes) -> MappedBytes {
    let quote = UInt8(ascii: "\"")
    guard value.bytes.count >= 2, value.bytes.first == quote, value.bytes.last == quote else { return value }
    return value.part((value.start + 1)..<(value.end - 1))
  }

  private func secrets(inCredential value: MappedBytes) -> [FoundSecret] {
    guard let (scheme, rest) = value.cut(at: .space), Self.schemes.contains(scheme.text.lowercased()) else {
      return secret(value)
    }
    let credential = rest.trimmed
    guard scheme.text.lowercased() == "basic", let decoded = Data(base64Encoded: credential.text) else {
      return secret(credential)
    }
    return secret(credential, related: Self.passwords(of: [UInt8](decoded)))
  }

  /// The pair of a name and a password, and the password.
  static func passwords(of pair: [UInt8]) -> [[UInt8]] {
    guard let colon = pair.firstIndex(of: .colon) else { return [pair] }
    return [pair, Array(pair[(colon + 1)...])]
  }

  /// The value as a secret; none if it may stay.
  ///
  /// - Parameters:
  ///   - decoded: the value without the coding of its place. Default: the bytes themselves.
  ///   - related: see `FoundSecret`. Default: none.
  func secret(
    _ value: MappedBytes, decoded: [UInt8]? = nil, isNumber: Bool = false, related: [[UInt8]] = []
  ) -> [FoundSecret] {
    let bytes = decoded ?? Array(value.bytes)
    // A placeholder in another coding is replaced by its text.
    let isCoded = Placeholder.number(of: bytes) != nil && value.place.count != bytes.count
    if mayStay(bytes), !isCoded { return [] }
    if isNumber, knowsNumbers, Placeholder.number(ofNumber: bytes) != nil { return [] }
    let related = related.filter { !mayStay($0) }
    return [FoundSecret(range: value.place, value: bytes, isNumber: isNumber, related: related)]
  }
}
