/// A dictionary of Structured Fields (RFC 9651 section 3.2), without the parameters of its members.
public struct StructuredDictionary: Sendable, Equatable {
  /// The value of a member.
  public enum Value: Sendable, Equatable {
    case boolean(Bool)
    case integer(Int64)
    case string(String)
    /// A token, or a value of a kind that is not told apart: a decimal, a date, bytes, or a display string.
    case other(String)
    /// An inner list.
    case list([Value])
  }

  /// The members by their keys; of a repeated key the last one counts.
  public private(set) var members: [String: Value] = [:]

  /// The value of a member.
  public subscript(key: String) -> Value? { members[key] }

  /// Parses the value of a field, whose lines are joined with commas; `nil` if it violates the grammar.
  ///
  /// A field that does not parse is ignored as a whole (RFC 9651 section 4.2).
  public init?(_ text: String) {
    var cursor = FieldCursor(text)
    cursor.skipSpaces()
    while !cursor.isAtEnd {
      guard let key = cursor.structuredKey(), let value = cursor.structuredMember() else { return nil }
      members[key] = value
      cursor.skipWhitespace()
      if cursor.isAtEnd { return }
      guard cursor.take(UInt8(ascii: ",")) else { return nil }
      cursor.skipWhitespace()
      // A comma at the end.
      if cursor.isAtEnd { return nil }
    }
  }
}

/// The parts of Structured Fields.
extension FieldCursor {
  /// Skips spaces.
  public mutating func skipSpaces() { while take(UInt8(ascii: " ")) {} }

  /// Reads a key (RFC 9651 section 3.1.2); `nil` if there is none.
  public mutating func structuredKey() -> String? {
    guard let first = peek(), first.isLowercaseLetter || first == UInt8(ascii: "*") else { return nil }
    return taken { $0.isLowercaseLetter || $0.isDigit || "_-.*".utf8.contains($0) }
  }

  /// Reads the value of a member with its parameters; without a value it is true.
  fileprivate mutating func structuredMember() -> StructuredDictionary.Value? {
    guard take(UInt8(ascii: "=")) else { return skipParameters() ? .boolean(true) : nil }
    return peek() == UInt8(ascii: "(") ? innerList() : item()
  }

  private mutating func item() -> StructuredDictionary.Value? {
    guard let value = bareItem(), skipParameters() else { return nil }
    return value
  }

  private mutating func innerList() -> StructuredDictionary.Value? {
    var items: [StructuredDictionary.Value] = []
    advance()
    while true {
      skipSpaces()
      if take(UInt8(ascii: ")")) { return skipParameters() ? .list(items) : nil }
      guard let item = item() else { return nil }
      items.append(item)
      guard let next = peek(), next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { return nil }
    }
  }

  /// Skips the parameters of a value; `false` if they violate the grammar.
  private mutating func skipParameters() -> Bool {
    while take(UInt8(ascii: ";")) { guard parameter() != nil else { return false } }
    return true
  }

  /// Reads the parameters of a value, in their order (RFC 9651 section 3.1.2); `nil` if they violate the grammar.
  ///
  /// A name may occur several times.
  public mutating func parameters() -> [(name: String, value: StructuredDictionary.Value)]? {
    var parameters: [(name: String, value: StructuredDictionary.Value)] = []
    while take(UInt8(ascii: ";")) {
      guard let parameter = parameter() else { return nil }
      parameters.append(parameter)
    }
    return parameters
  }

  /// Reads a parameter after its semicolon; one without a value is true.
  private mutating func parameter() -> (name: String, value: StructuredDictionary.Value)? {
    skipSpaces()
    guard let name = structuredKey() else { return nil }
    guard take(UInt8(ascii: "=")) else { return (name, .boolean(true)) }
    return bareItem().map { (name, $0) }
  }

  /// Reads a value without its parameters (RFC 9651 section 3.3); `nil` if it violates the grammar.
  public mutating func bareItem() -> StructuredDictionary.Value? {
    switch peek() {
    case UInt8(ascii: "?"): return boolean()
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: ":"):
      advance()
      let bytes = taken { $0.isLetter || $0.isDigit || "+/=".utf8.contains($0) }
      return take(UInt8(ascii: ":")) ? .other(bytes) : nil
    case UInt8(ascii: "@"):
      advance()
      guard case .integer(let seconds) = number() else { return nil }
      return .other("@\(seconds)")
    case UInt8(ascii: "%"):
      advance()
      return displayString().map { .other($0) }
    case let first? where first.isDigit || first == UInt8(ascii: "-"): return number()
    case let first? where first.isLetter || first == UInt8(ascii: "*"):
      return .other(taken { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") })
    default: return nil
    }
  }

  private mutating func boolean() -> StructuredDictionary.Value? {
    advance()
    if take(UInt8(ascii: "1")) { return .boolean(true) }
    return take(UInt8(ascii: "0")) ? .boolean(false) : nil
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
  private mutating func number() -> StructuredDictionary.Value? {
    let sign = take(UInt8(ascii: "-")) ? "-" : ""
    let digits = taken { $0.isDigit }
    guard !digits.isEmpty else { return nil }
    guard take(UInt8(ascii: ".")) else {
      return digits.utf8.count <= 15 ? Int64(sign + digits).map { .integer($0) } : nil
    }
    let fraction = taken { $0.isDigit }
    guard digits.utf8.count <= 12, (1...3).contains(fraction.utf8.count) else { return nil }
    return .other(sign + digits + "." + fraction)
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
