import LupineSupport

/// Reads the structured fields (RFC 9651) of resumable uploads: an integer, a boolean, or a dictionary of integers.
///
/// Members and parameters of other types are skipped, because the fields may be extended.
struct StructuredField {
  /// A member of a dictionary.
  enum Value: Hashable {
    case integer(Int64)
    case boolean(Bool)
    /// A value of any other type.
    case other
  }

  private struct Malformed: Error {}

  private var bytes: ArraySlice<UInt8>

  private init(_ text: String) { bytes = ArraySlice(text.utf8) }

  /// The value of an item that is an integer; `nil` for anything else.
  static func integer(_ text: String) -> Int64? {
    if case .integer(let value) = item(text) { value } else { nil }
  }

  /// The value of an item that is an integer from 0; `nil` for anything else.
  static func count(_ text: String) -> Int64? { integer(text).flatMap { $0 >= 0 ? $0 : nil } }

  /// The value of an item that is a boolean; `nil` for anything else.
  static func boolean(_ text: String) -> Bool? {
    if case .boolean(let value) = item(text) { value } else { nil }
  }

  private static func item(_ text: String) -> Value? {
    var parser = StructuredField(text)
    parser.skipSpaces()
    guard let value = try? parser.item() else { return nil }
    parser.skipSpaces()
    return parser.bytes.isEmpty ? value : nil
  }

  /// The members of a dictionary; `nil` if the text is none.
  ///
  /// The last member of a name counts.
  static func dictionary(_ text: String) -> [String: Value]? {
    var parser = StructuredField(text)
    return try? parser.dictionary()
  }
}

/// The grammar of RFC 9651 section 4.2.
extension StructuredField {
  private mutating func dictionary() throws -> [String: Value] {
    var members: [String: Value] = [:]
    skipSpaces()
    while !bytes.isEmpty {
      let name = try key()
      if take("=") {
        members[name] = bytes.first == UInt8(ascii: "(") ? try innerList() : try item()
      } else {
        members[name] = .boolean(true)
        try skipParameters()
      }
      skipBlanks()
      guard !bytes.isEmpty else { break }
      guard take(",") else { throw Malformed() }
      skipBlanks()
      if bytes.isEmpty { throw Malformed() }
    }
    return members
  }

  private mutating func innerList() throws -> Value {
    guard take("(") else { throw Malformed() }
    while true {
      skipSpaces()
      if take(")") { break }
      _ = try item()
      guard bytes.first == UInt8(ascii: " ") || bytes.first == UInt8(ascii: ")") else { throw Malformed() }
    }
    try skipParameters()
    return .other
  }

  private mutating func item() throws -> Value {
    let value = try bareItem()
    try skipParameters()
    return value
  }

  private mutating func skipParameters() throws {
    while take(";") {
      skipSpaces()
      _ = try key()
      if take("=") { _ = try bareItem() }
    }
  }

  private mutating func bareItem() throws -> Value {
    switch bytes.first {
    case UInt8(ascii: "?"):
      bytes.removeFirst()
      if take("1") { return .boolean(true) }
      if take("0") { return .boolean(false) }
      throw Malformed()
    case UInt8(ascii: "\""): return try string()
    case UInt8(ascii: "%"):
      bytes.removeFirst()
      return try string()
    case UInt8(ascii: ":"):
      bytes.removeFirst()
      guard let end = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw Malformed() }
      bytes = bytes[(end + 1)...]
      return .other
    case UInt8(ascii: "@"):
      bytes.removeFirst()
      guard case .integer = try number() else { throw Malformed() }
      return .other
    case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: return try number()
    case let byte? where byte.isLetter || byte == UInt8(ascii: "*"):
      skip { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
      return .other
    default: throw Malformed()
    }
  }

  private mutating func number() throws -> Value {
    let isNegative = take("-")
    let digits = skip { $0.isDigit }
    guard !digits.isEmpty, digits.count <= 15 else { throw Malformed() }
    if take(".") {
      let fraction = skip { $0.isDigit }
      guard digits.count <= 12, (1...3).contains(fraction.count) else { throw Malformed() }
      return .other
    }
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return .integer(isNegative ? -value : value)
  }

  private mutating func string() throws -> Value {
    guard take("\"") else { throw Malformed() }
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return .other
      case UInt8(ascii: "\\"):
        guard let next = bytes.popFirst(), next == 0x22 || next == 0x5C else { throw Malformed() }
      case 0x20...0x7E: break
      default: throw Malformed()
      }
    }
    throw Malformed()
  }

  private mutating func key() throws -> String {
    guard let first = bytes.first, first == UInt8(ascii: "*") || first.isLetter && !first.isUpper else {
      throw Malformed()
    }
    let name = skip { $0.isLetter && !$0.isUpper || $0.isDigit || [0x2A, 0x2D, 0x2E, 0x5F].contains($0) }
    return String(decoding: name, as: UTF8.self)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: character) else { return false }
    bytes.removeFirst()
    return true
  }

  @discardableResult
  private mutating func skip(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let part = bytes.prefix(while: isPart)
    bytes = bytes[part.endIndex...]
    return part
  }

  private mutating func skipSpaces() { skip { $0 == .space } }

  /// Skips optional white space: spaces and tabs.
  private mutating func skipBlanks() { skip { $0.isBlank } }
}
