import LupineSupport

/// Reads one JSON text of an untrusted file from its start to its end, and checks all of its syntax (RFC 8259).
///
/// It does not convert values, so that numbers and strings can be kept as they are written.
struct JSONCursor {
  /// A violation of the syntax or of the format, at a byte of the text.
  struct Fault: Error, Equatable {
    let position: Int
    /// The violation, as a sentence without its end.
    let reason: String
    /// The version of the format, if it is newer than this module.
    var newerVersion: Int64?
  }

  /// The maximum number of arrays and objects inside each other.
  static let maximumDepth = 64
  /// The maximum number of members of an object that is read.
  static let maximumMembers = 1_000

  /// The text, in valid UTF-8.
  let bytes: [UInt8]
  private(set) var position: Int

  /// - Parameter position: the first byte to read. Default: the beginning.
  init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  func fault(_ reason: String, at position: Int? = nil) -> Fault {
    Fault(position: position ?? self.position, reason: reason)
  }

  /// Skips white space; returns the byte after it, or `nil` at the end.
  mutating func peek() -> UInt8? {
    while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
    return position < bytes.count ? bytes[position] : nil
  }

  /// Requires that nothing but white space is left.
  mutating func end() throws(Fault) {
    if peek() != nil { throw fault("text follows the end of the JSON value") }
  }

  private mutating func expect(_ byte: UInt8) throws(Fault) {
    guard peek() == byte else {
      throw fault("`\(Character(Unicode.Scalar(byte)))` is missing")
    }
    position += 1
  }
}

/// Containers.
extension JSONCursor {
  /// Reads an object; the closure reads the value of each member.
  ///
  /// A name that occurs twice is a fault, and so are more than 1,000 members.
  mutating func object(
    _ member: (String, inout JSONCursor) throws(Fault) -> Void
  ) throws(Fault) {
    var names: Set<String> = []
    try container(UInt8(ascii: "{"), UInt8(ascii: "}")) { (cursor) throws(Fault) in
      _ = cursor.peek()
      let start = cursor.position
      let name = try cursor.string()
      guard names.insert(name).inserted else {
        throw cursor.fault("the member \(name.escapingControls(limit: 100).debugDescription) occurs twice", at: start)
      }
      guard names.count <= Self.maximumMembers else {
        throw cursor.fault("an object has more than \(Self.maximumMembers) members", at: start)
      }
      try cursor.expect(.colon)
      try member(name, &cursor)
    }
  }

  /// Reads an array; the closure reads each element.
  mutating func array(_ element: (inout JSONCursor) throws(Fault) -> Void) throws(Fault) {
    try container(.openBracket, .closeBracket, element)
  }

  private mutating func container(
    _ open: UInt8, _ close: UInt8, _ element: (inout JSONCursor) throws(Fault) -> Void
  ) throws(Fault) {
    try expect(open)
    if peek() == close {
      position += 1
      return
    }
    while true {
      try element(&self)
      if peek() == UInt8(ascii: ",") {
        position += 1
      } else {
        return try expect(close)
      }
    }
  }

  /// Checks one value of any kind; returns its range.
  mutating func skipValue() throws(Fault) -> Range<Int> {
    _ = peek()
    let start = position
    // The containers that are open; `true` for an object.
    var open: [Bool] = []
    repeat {
      let byte = peek()
      if byte == UInt8(ascii: "{") || byte == .openBracket {
        guard open.count < Self.maximumDepth else {
          throw fault("arrays and objects are nested deeper than \(Self.maximumDepth) levels")
        }
        position += 1
        open.append(byte == UInt8(ascii: "{"))
        if peek() != (open.last == true ? UInt8(ascii: "}") : .closeBracket) {
          if open.last == true { try skipName() }
          continue
        }
      } else {
        try skipScalar()
      }
      try closeContainers(&open)
    } while !open.isEmpty
    return start..<position
  }

  /// Reads what follows a value: the ends of containers, and the comma and the name before the next value.
  private mutating func closeContainers(_ open: inout [Bool]) throws(Fault) {
    while let isObject = open.last {
      let close = isObject ? UInt8(ascii: "}") : .closeBracket
      switch peek() {
      case close:
        position += 1
        open.removeLast()
      case UInt8(ascii: ","):
        position += 1
        if isObject { try skipName() }
        return
      default: throw fault("`,` or `\(isObject ? "}" : "]")` is missing")
      }
    }
  }

  private mutating func skipName() throws(Fault) {
    _ = peek()
    try skipString()
    try expect(.colon)
  }
}

/// Scalars.
extension JSONCursor {
  /// Skips a string at the position, and checks its escapes.
  ///
  /// An escape may be half of a character, which some programs write.
  private mutating func skipString() throws(Fault) {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      throw fault("a string is missing")
    }
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case .backslash: try skipEscape()
      case 0..<0x20: throw fault("a string contains a control character that is not escaped")
      default: position += 1
      }
    }
    throw fault("the text ends inside a string")
  }

  private mutating func skipEscape() throws(Fault) {
    guard position + 1 < bytes.count else { throw fault("the text ends inside a string") }
    guard bytes[position + 1] == UInt8(ascii: "u") else {
      guard JSONEscape.letters.contains(bytes[position + 1]) else { throw fault("the escape does not exist in JSON") }
      position += 2
      return
    }
    guard position + 6 <= bytes.count, bytes[(position + 2)..<(position + 6)].allSatisfy(\.isHex) else {
      throw fault("the escape `\\u` needs four hexadecimal digits")
    }
    position += 6
  }

  private mutating func skipScalar() throws(Fault) {
    switch peek() {
    case UInt8(ascii: "\""): try skipString()
    case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: _ = try number()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: throw fault("a value is missing")
    }
  }

  private mutating func word(_ word: StaticString) throws(Fault) {
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count,
      (0..<count).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
    else { throw fault("a value is missing") }
    position += count
  }

  /// Reads a boolean.
  mutating func bool() throws(Fault) -> Bool {
    let isTrue = peek() == UInt8(ascii: "t")
    try word(isTrue ? "true" : "false")
    return isTrue
  }

  /// Reads a number as it is written.
  mutating func number() throws(Fault) -> String {
    _ = peek()
    let start = position
    skip(UInt8(ascii: "-"))
    let first = position
    try digits()
    guard bytes[first] != UInt8(ascii: "0") || position == first + 1 else {
      throw fault("a number begins with 0", at: first)
    }
    if skip(.dot) { try digits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  @discardableResult
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func digits() throws(Fault) {
    let start = position
    while position < bytes.count, bytes[position].isDigit { position += 1 }
    if position == start { throw fault("a digit is missing") }
  }

  /// Reads a string and decodes its escapes.
  mutating func string() throws(Fault) -> String {
    _ = peek()
    let start = position
    try skipString()
    let content = bytes[(start + 1)..<(position - 1)]
    guard content.contains(.backslash) else { return String(decoding: content, as: UTF8.self) }
    guard let text = JSONString.decode(content) else {
      throw fault("the string contains half of a character", at: start)
    }
    return text
  }
}
