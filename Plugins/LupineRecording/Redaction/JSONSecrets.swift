import HTTPTypes
import LupineSupport

/// Finds the secret values of JSON, which may be malformed, incomplete, or several values one after the other.
struct JSONSecrets {
  private let rules: SecretRules
  private let text: MappedBytes
  private let nesting: Int
  private var position: Int
  private var found: [FoundSecret] = []
  /// The number of open arrays and objects.
  private var depth = 0
  /// The depth in which everything is secret; `nil` outside of secret containers.
  private var secretDepth: Int?
  /// The name of the next value, if it is secret.
  private var secretName: String?
  /// The names so far, and whether each is secret: most names occur many times.
  private var names: [String: Bool] = [:]

  private init(_ rules: SecretRules, _ text: MappedBytes, _ nesting: Int) {
    self.rules = rules
    self.text = text
    self.nesting = nesting
    position = text.start
  }

  static func find(_ rules: SecretRules, in text: MappedBytes, nesting: Int = 0) -> [FoundSecret] {
    var search = JSONSecrets(rules, text, nesting)
    search.run()
    return search.found
  }

  /// Whether the text begins like an object or an array.
  static func isLikely(_ text: MappedBytes) -> Bool {
    var position = text.start
    while position < text.end, text[position].isJSONSpace { position += 1 }
    if position == text.start, position < text.end, text[position] == 0xEF,
      text.bytes.starts(with: ByteOrderMark.utf8.bytes)
    {
      return isLikely(text.part((text.start + 3)..<text.end))
    }
    return position < text.end && (text[position] == UInt8(ascii: "{") || text[position] == .openBracket)
  }

  private mutating func run() {
    while position < text.end {
      switch text[position] {
      case UInt8(ascii: "\""): readString()
      case UInt8(ascii: "{"), .openBracket:
        depth += 1
        if secretName != nil, secretDepth == nil { secretDepth = depth }
        secretName = nil
        position += 1
      case UInt8(ascii: "}"), .closeBracket:
        if let secretDepth, depth <= secretDepth { self.secretDepth = nil }
        depth = max(0, depth - 1)
        secretName = nil
        position += 1
      case UInt8(ascii: ","):
        secretName = nil
        position += 1
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
      case let byte where byte.isLetter: skipWord()
      default: position += 1
      }
    }
  }

  private mutating func readString() {
    let start = position
    position += 1
    while position < text.end, text[position] != UInt8(ascii: "\"") {
      position += text[position] == .backslash ? 2 : 1
    }
    let content = text.part((start + 1)..<max(start + 1, min(position, text.end))).unescaped
    position = min(position + 1, text.end)
    if isName {
      let name = content.text
      secretName = isSecret(name) ? name : nil
    } else {
      let name = secretName
      secretName = nil
      found += secrets(ofString: content, named: name)
    }
  }

  private mutating func isSecret(_ name: String) -> Bool {
    if let known = names[name] { return known }
    let isSecret = rules.isSecret(member: name)
    if names.count < 10_000 { names[name] = isSecret }
    return isSecret
  }

  /// Whether a colon follows.
  private var isName: Bool {
    var next = position
    while next < text.end, text[next].isJSONSpace { next += 1 }
    return next < text.end && text[next] == .colon
  }

  private func secrets(ofString content: MappedBytes, named name: String?) -> [FoundSecret] {
    if let name { return rules.secrets(ofSecretField: HTTPField.Name(name), content) }
    if secretDepth != nil { return rules.secret(content) }
    if nesting < SecretRules.maximumNesting, Self.isLikely(content) {
      return Self.find(rules, in: content, nesting: nesting + 1)
    }
    return rules.secretsInURLs(content, nesting: nesting)
  }

  private mutating func readNumber() {
    let start = position
    while position < text.end, Self.isNumeral(text[position]) { position += 1 }
    let isSecret = secretName != nil || secretDepth != nil
    secretName = nil
    let number = text.part(start..<position)
    guard isSecret, number.bytes.count(where: \.isDigit) > 3 else { return }
    found += rules.secret(number, isNumber: true)
  }

  private static func isNumeral(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), .dot, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private mutating func skipWord() {
    while position < text.end, text[position].isLetter { position += 1 }
    secretName = nil
  }
}
