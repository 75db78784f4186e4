import LupineFoundation
import LupineSupport

/// The kind of a structured field (RFC 9651 section 3), which its definition states.
public enum StructuredFieldKind: Sendable, Hashable, CaseIterable {
  /// One value with parameters, such as `Client-Cert`.
  case item
  /// A list, such as `Cache-Status`.
  case list
  /// A dictionary, such as `Priority`.
  case dictionary
}

/// Parses structured fields (RFC 9651 section 4.2) into the strict serialization of their parts (section 4.1).
struct StructuredFieldText {
  /// A value with its parameters.
  struct Member {
    let value: String
    let parameters: String

    var text: String { value + parameters }
    var isTrue: Bool { value == "?1" }
  }

  private var cursor: FieldCursor

  private init(_ text: String) {
    cursor = FieldCursor(text)
    skipSpaces()
  }

  /// Returns the strict serialization of a field; `nil` if it violates the grammar of its kind.
  static func serialized(_ text: String, as kind: StructuredFieldKind) -> String? {
    switch kind {
    case .item:
      var parser = StructuredFieldText(text)
      guard let item = parser.item() else { return nil }
      parser.skipSpaces()
      return parser.cursor.isAtEnd ? item.text : nil
    case .list:
      var parser = StructuredFieldText(text)
      return parser.members { $0.value()?.text }?.joined(separator: ", ")
    case .dictionary:
      return dictionary(text)?.map { key, member in
        key + (member.isTrue ? "" : "=\(member.value)") + member.parameters
      }.joined(separator: ", ")
    }
  }

  /// Returns the members of a dictionary in their order; `nil` if it violates the grammar.
  ///
  /// Of a repeated key the last value counts, at the place of the first one.
  static func dictionary(_ text: String) -> [(key: String, member: Member)]? {
    var parser = StructuredFieldText(text)
    let all = parser.members { parser -> (String, Member)? in
      guard let key = parser.key() else { return nil }
      if parser.take("=") { return parser.value().map { (key, $0) } }
      return parser.parameters().map { (key, Member(value: "?1", parameters: $0)) }
    }
    guard let all else { return nil }
    return unique(all).map { (key: $0.0, member: $0.1) }
  }

  private static func unique<Value>(_ pairs: [(String, Value)]) -> [(String, Value)] {
    var places: [String: Int] = [:]
    var unique: [(String, Value)] = []
    for (key, value) in pairs {
      if let place = places[key] {
        unique[place].1 = value
      } else {
        places[key] = unique.count
        unique.append((key, value))
      }
    }
    return unique
  }

  /// Reads members up to the end, with commas between them.
  private mutating func members<Value>(_ member: (inout Self) -> Value?) -> [Value]? {
    var members: [Value] = []
    while !cursor.isAtEnd {
      guard let next = member(&self) else { return nil }
      members.append(next)
      cursor.skipWhitespace()
      if cursor.isAtEnd { return members }
      guard take(",") else { return nil }
      cursor.skipWhitespace()
      // A comma at the end.
      if cursor.isAtEnd { return nil }
    }
    return members
  }

  /// Reads an item or an inner list.
  private mutating func value() -> Member? {
    guard take("(") else { return item() }
    var items: [String] = []
    while true {
      skipSpaces()
      if take(")") { break }
      guard let item = item() else { return nil }
      items.append(item.text)
      guard let next = cursor.peek(), next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { return nil }
    }
    return parameters().map { Member(value: "(" + items.joined(separator: " ") + ")", parameters: $0) }
  }

  private mutating func item() -> Member? {
    guard let value = bareItem(), let parameters = parameters() else { return nil }
    return Member(value: value, parameters: parameters)
  }

  private mutating func parameters() -> String? {
    var parameters: [(String, String)] = []
    while take(";") {
      skipSpaces()
      guard let key = key() else { return nil }
      guard take("=") else {
        parameters.append((key, ""))
        continue
      }
      guard let value = bareItem() else { return nil }
      parameters.append((key, value == "?1" ? "" : "=\(value)"))
    }
    return Self.unique(parameters).map { ";\($0)\($1)" }.joined()
  }

  private mutating func key() -> String? {
    guard let first = cursor.peek(), first &- 0x61 < 26 || first == UInt8(ascii: "*") else { return nil }
    return taken { $0 &- 0x61 < 26 || $0.isDigit || "_-.*".utf8.contains($0) }
  }
}

/// The values without parameters (RFC 9651 section 3.3).
extension StructuredFieldText {
  private mutating func bareItem() -> String? {
    switch cursor.peek() {
    case UInt8(ascii: "?"):
      cursor.advance()
      return take("1") ? "?1" : take("0") ? "?0" : nil
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: ":"): return byteSequence()
    case UInt8(ascii: "@"):
      cursor.advance()
      return number().flatMap { $0.contains(".") ? nil : "@\($0)" }
    case UInt8(ascii: "%"):
      cursor.advance()
      return displayString()
    case let first? where first.isDigit || first == UInt8(ascii: "-"): return number()
    case let first? where first.isLetter || first == UInt8(ascii: "*"):
      return taken { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
    default: return nil
    }
  }

  /// Reads an integer of at most 15 digits, or a decimal of at most 12 and 3 digits.
  private mutating func number() -> String? {
    let isNegative = take("-")
    let digits = taken { $0.isDigit }
    guard !digits.isEmpty, digits.utf8.count <= 15, let whole = Int64(digits) else { return nil }
    guard take(".") else { return "\(isNegative ? -whole : whole)" }
    var fraction = taken { $0.isDigit }
    guard digits.utf8.count <= 12, (1...3).contains(fraction.utf8.count) else { return nil }
    while fraction.utf8.count > 1, fraction.hasSuffix("0") { fraction.removeLast() }
    let isZero = whole == 0 && fraction == "0"
    return (isNegative && !isZero ? "-" : "") + "\(whole).\(fraction)"
  }

  private mutating func string() -> String? {
    guard let content = content({ $0 == UInt8(ascii: "\\") ? .escape : .plain }) else { return nil }
    return SignatureComponent.quoted(String(decoding: content, as: UTF8.self))
  }

  /// Reads a string whose bytes of UTF-8 may be in escapes such as `%c3`, and escapes those that must be.
  private mutating func displayString() -> String? {
    guard let content = content({ $0 == UInt8(ascii: "%") ? .byte : .plain }),
      String(validating: content, as: UTF8.self) != nil
    else { return nil }
    var text = "%\""
    for byte in content {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: "\"") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + Hexadecimal.text([byte])
      }
    }
    return text + "\""
  }

  private enum Reading { case plain, escape, byte }

  /// Reads visible ASCII and spaces between quotes.
  private mutating func content(_ reading: (UInt8) -> Reading) -> [UInt8]? {
    guard take("\"") else { return nil }
    var content: [UInt8] = []
    while let byte = cursor.peek() {
      cursor.advance()
      if byte == UInt8(ascii: "\"") { return content }
      guard (0x20...0x7E).contains(byte) else { return nil }
      switch reading(byte) {
      case .plain: content.append(byte)
      case .escape:
        guard let escaped = cursor.peek(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
          return nil
        }
        cursor.advance()
        content.append(escaped)
      case .byte:
        guard let high = hexadecimalDigit(), let low = hexadecimalDigit() else { return nil }
        content.append(high << 4 | low)
      }
    }
    return nil
  }

  /// Reads a hexadecimal digit in lower case.
  private mutating func hexadecimalDigit() -> UInt8? {
    guard let digit = cursor.peek(), digit.isDigit || (0x61...0x66).contains(digit) else { return nil }
    cursor.advance()
    return digit.isDigit ? digit - 0x30 : digit - 0x57
  }

  /// Reads bytes in base64, whose padding may be missing.
  private mutating func byteSequence() -> String? {
    cursor.advance()
    var text = taken { $0.isLetter || $0.isDigit || "+/=".utf8.contains($0) }
    guard take(":") else { return nil }
    while text.utf8.count % 4 != 0 { text += "=" }
    return Data(base64Encoded: text).map { ":\($0.base64EncodedString()):" }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool { cursor.take(UInt8(ascii: character)) }

  private mutating func skipSpaces() { while take(" ") {} }

  private mutating func taken(_ belongs: (UInt8) -> Bool) -> String {
    let start = cursor.position
    while let byte = cursor.peek(), belongs(byte) { cursor.advance() }
    return cursor.text(start..<cursor.position)
  }
}
