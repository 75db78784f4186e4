import LupineFoundation

/// The parts of structured fields (RFC 9651 section 4.2).
extension FieldCursor {
  /// Skips spaces.
  public mutating func skipSpaces() { while take(UInt8(ascii: " ")) {} }

  /// Reads a key (RFC 9651 section 3.1.2); `nil` if there is none.
  public mutating func structuredKey() -> String? {
    guard let first = peek(), first.isLowercaseLetter || first == UInt8(ascii: "*") else { return nil }
    return taken { $0.isLowercaseLetter || $0.isDigit || "_-.*".utf8.contains($0) }
  }

  /// Reads members up to the end, with commas between them; `nil` if they violate the grammar.
  mutating func structuredMembers<Member>(_ member: (inout FieldCursor) -> Member?) -> [Member]? {
    var members: [Member] = []
    skipSpaces()
    while !isAtEnd {
      guard let next = member(&self) else { return nil }
      members.append(next)
      skipWhitespace()
      if isAtEnd { return members }
      guard take(UInt8(ascii: ",")) else { return nil }
      skipWhitespace()
      // A comma at the end.
      if isAtEnd { return nil }
    }
    return members
  }

  /// Reads a member of a dictionary; without a value it is true.
  mutating func structuredMember() -> (key: String, item: StructuredItem)? {
    guard let key = structuredKey() else { return nil }
    if take(UInt8(ascii: "=")) { return structuredItemOrList().map { (key, $0) } }
    return parameters().map { (key, StructuredItem(.boolean(true), $0)) }
  }

  /// Reads an item or an inner list, with its parameters.
  mutating func structuredItemOrList() -> StructuredItem? {
    guard take(UInt8(ascii: "(")) else { return structuredItem() }
    var items: [StructuredItem] = []
    while true {
      skipSpaces()
      if take(UInt8(ascii: ")")) { return parameters().map { StructuredItem(.list(items), $0) } }
      guard let item = structuredItem() else { return nil }
      items.append(item)
      guard let next = peek(), next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { return nil }
    }
  }

  /// Reads an item with its parameters.
  mutating func structuredItem() -> StructuredItem? {
    guard let value = bareItem(), let parameters = parameters() else { return nil }
    return StructuredItem(value, parameters)
  }

  /// Reads the parameters of a value, in their order (RFC 9651 section 3.1.2); `nil` if they violate the grammar.
  ///
  /// A name may occur several times. A parameter without a value is true.
  public mutating func parameters() -> [StructuredParameter]? {
    var parameters: [StructuredParameter] = []
    while take(UInt8(ascii: ";")) {
      skipSpaces()
      guard let name = structuredKey() else { return nil }
      guard let value = take(UInt8(ascii: "=")) ? bareItem() : .boolean(true) else { return nil }
      parameters.append(StructuredParameter(name: name, value: value))
    }
    return parameters
  }

  /// Reads a value without its parameters (RFC 9651 section 3.3); `nil` if it violates the grammar.
  public mutating func bareItem() -> StructuredValue? {
    switch peek() {
    case UInt8(ascii: "?"): return boolean()
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: ":"): return byteSequence().map { .bytes($0) }
    case UInt8(ascii: "@"):
      advance()
      guard case .integer(let seconds) = number() else { return nil }
      return .date(seconds)
    case UInt8(ascii: "%"):
      advance()
      return displayString().map { .displayString($0) }
    case let first? where first.isDigit || first == UInt8(ascii: "-"): return number()
    case let first? where first.isLetter || first == UInt8(ascii: "*"):
      return .token(taken { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") })
    default: return nil
    }
  }

  private mutating func boolean() -> StructuredValue? {
    advance()
    if take(UInt8(ascii: "1")) { return .boolean(true) }
    return take(UInt8(ascii: "0")) ? .boolean(false) : nil
  }

  /// Reads bytes in base64, whose padding may be missing.
  private mutating func byteSequence() -> [UInt8]? {
    advance()
    var text = taken { $0.isLetter || $0.isDigit || "+/=".utf8.contains($0) }
    guard take(UInt8(ascii: ":")) else { return nil }
    while text.utf8.count % 4 != 0 { text += "=" }
    return Data(base64Encoded: text).map { Array($0) }
  }

  /// Reads a string of visible ASCII characters and spaces, in which only quotes and backslashes are escaped.
  private mutating func string() -> String? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var content: [UInt8] = []
    while let byte = peek() {
      advance()
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = peek(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else { return nil }
        advance()
        content.append(escaped)
      case 0x20...0x7E: content.append(byte)
      default: return nil
      }
    }
    return nil
  }

  /// Reads a string of visible ASCII characters, spaces, and UTF-8 in escapes such as `%c3` (RFC 9651 section 4.2.10).
  private mutating func displayString() -> String? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var content: [UInt8] = []
    while let byte = peek() {
      advance()
      switch byte {
      case UInt8(ascii: "\""): return String(validating: content, as: UTF8.self)
      case UInt8(ascii: "%"):
        guard let high = hexadecimalDigit(), let low = hexadecimalDigit() else { return nil }
        content.append(high << 4 | low)
      case 0x20...0x7E: content.append(byte)
      default: return nil
      }
    }
    return nil
  }

  /// Reads a hexadecimal digit in lower case.
  private mutating func hexadecimalDigit() -> UInt8? {
    guard let digit = peek(), digit.isDigit || (0x61...0x66).contains(digit) else { return nil }
    advance()
    return digit.isDigit ? digit - 0x30 : digit - 0x57
  }

  /// Reads an integer of at most 15 digits, or a decimal of at most 12 and 3 digits (RFC 9651 section 3.3).
  private mutating func number() -> StructuredValue? {
    let sign = take(UInt8(ascii: "-")) ? "-" : ""
    let digits = taken { $0.isDigit }
    guard !digits.isEmpty else { return nil }
    guard take(UInt8(ascii: ".")) else {
      return digits.utf8.count <= 15 ? Int64(sign + digits).map { .integer($0) } : nil
    }
    let fraction = taken { $0.isDigit }
    guard digits.utf8.count <= 12, (1...3).contains(fraction.utf8.count) else { return nil }
    let padding = String(repeating: "0", count: 3 - fraction.utf8.count)
    return Int64(sign + digits + fraction + padding).map { .decimal(thousandths: $0) }
  }

  private mutating func taken(_ belongs: (UInt8) -> Bool) -> String {
    let start = position
    while let byte = peek(), belongs(byte) { advance() }
    return text(start..<position)
  }
}

extension UInt8 {
  fileprivate var isLowercaseLetter: Bool { self &- 0x61 < 26 }
}
