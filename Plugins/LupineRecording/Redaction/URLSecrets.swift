import LupineSupport

/// Finds the secrets in URLs, queries and forms.
extension SecretRules {
  /// The secrets in the URLs of a text: user information, and parameters after `?` or `#`.
  ///
  /// A reference without a scheme counts, as the field `Location` may have one.
  ///
  /// - Parameter nesting: the number of texts that contain this one in another coding. Default: 0.
  func secretsInURLs(_ text: MappedBytes, nesting: Int = 0) -> [FoundSecret] {
    // Most texts have no URL.
    guard text.contains(.question) || text.contains(.hash) || text.contains(.at) else { return [] }
    var found: [FoundSecret] = []
    var position = text.start
    while position < text.end {
      switch text[position] {
      case .colon where text.bytes[position...].starts(with: "://".utf8):
        let authority = run(text, from: position + 3) { byte in
          !Self.endsURL(byte) && byte != .slash && byte != .question && byte != .hash
        }
        found += secrets(inAuthority: authority)
        position = authority.end
      case .question, .hash:
        let items = run(text, from: position + 1) { !Self.endsURL($0) && $0 != .question && $0 != .hash }
        found += secrets(inForm: items, nesting: nesting)
        position = items.end
      default: position += 1
      }
    }
    return found
  }

  private static func endsURL(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
  }

  private func run(_ text: MappedBytes, from start: Int, while belongs: (UInt8) -> Bool) -> MappedBytes {
    var end = min(start, text.end)
    while end < text.end, belongs(text[end]) { end += 1 }
    return text.part(min(start, end)..<end)
  }

  private func secrets(inAuthority authority: MappedBytes) -> [FoundSecret] {
    guard let at = authority.bytes.lastIndex(of: .at) else { return [] }
    let user = authority.part(authority.start..<at)
    let decoded = Array(user.formDecoded.bytes)
    return secret(user, decoded: decoded, related: Array(Self.passwords(of: decoded).dropFirst()))
  }

  /// The secrets in the items of a query or a form.
  func secrets(inForm items: MappedBytes, nesting: Int = 0) -> [FoundSecret] {
    items.split(UInt8(ascii: "&")).flatMap { item -> [FoundSecret] in
      guard let (name, value) = item.cut(at: UInt8(ascii: "=")) else { return [] }
      let decoded = value.formDecoded
      guard isSecret(member: name.formDecoded.text) else { return nested(decoded, nesting) }
      return secret(value, decoded: Array(decoded.bytes))
    }
  }

  /// The secrets of a value that is itself JSON or a URL.
  private func nested(_ value: MappedBytes, _ nesting: Int) -> [FoundSecret] {
    guard nesting < Self.maximumNesting else { return [] }
    if JSONSecrets.isLikely(value) { return JSONSecrets.find(self, in: value, nesting: nesting + 1) }
    return secretsInURLs(value, nesting: nesting + 1)
  }
}
