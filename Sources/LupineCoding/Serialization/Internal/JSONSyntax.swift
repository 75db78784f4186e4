import LupineFoundation
import LupineSupport

/// Finds the first byte at which a text in UTF-8 violates the grammar of JSON (RFC 8259).
///
/// It reads a text that a decoder has refused, so that the error can name the place. It does not recurse.
struct JSONSyntax {
  /// The first violation.
  struct Fault: Error, Equatable {
    /// The index of the byte; the length of the text if it ends too early.
    let position: Int
    /// The violation, as the end of a sentence that names the byte.
    let reason: String
    /// Whether the byte is before or after the value, and not inside it.
    var isOutside = false
    /// Whether the violation is a comma before a closing bracket.
    var isTrailingComma = false
    /// Whether the byte begins one level too many.
    var isTooDeep = false
  }

  private enum Expected {
    case value, firstValue, firstName, name, colon, next
  }

  private let text: UnsafeRawBufferPointer
  private var position = 0
  /// The arrays and objects that are open; `true` for an object.
  private var open: [Bool] = []
  private var expected = Expected.value

  private init(_ text: UnsafeRawBufferPointer) { self.text = text }

  /// Returns the first violation; `nil` if the text is one JSON value.
  static func fault(in data: Data) -> Fault? {
    let mark = data.starts(with: ByteOrderMark.utf8.bytes) ? ByteOrderMark.utf8.bytes.count : 0
    let grammar = data.withUnsafeBytes { text -> Fault? in
      var syntax = JSONSyntax(text)
      syntax.position = mark
      do throws(Fault) {
        try syntax.read()
        return nil
      } catch {
        return error
      }
    }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: data.span)
    } catch {
      let position = error.byteOffsets.lowerBound
      if grammar.map({ position <= $0.position }) ?? true {
        return Fault(position: position, reason: "is not valid UTF-8, which JSON requires")
      }
    }
    return grammar
  }

  private mutating func read() throws(Fault) {
    while let byte = nextByte() {
      switch expected {
      case .value, .firstValue: try value(byte)
      case .firstName, .name: try name(byte)
      case .colon:
        guard byte == UInt8(ascii: ":") else { throw fault("follows a member's name in the place of `:`") }
        position += 1
        expected = .value
      case .next: try separator(byte)
      }
    }
    if let isObject = open.last {
      throw fault("is missing: the text ends inside \(isObject ? "an object" : "an array")")
    }
    if expected != .next { throw fault("is missing: the text is empty") }
  }

  /// Skips white space; returns the byte after it, or `nil` at the end.
  private mutating func nextByte() -> UInt8? {
    while position < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
    return byte()
  }

  private func byte() -> UInt8? { position < text.count ? text[position] : nil }

  private func fault(_ reason: String, isTrailingComma: Bool = false) -> Fault {
    Fault(position: position, reason: reason, isOutside: open.isEmpty, isTrailingComma: isTrailingComma)
  }

  private mutating func value(_ first: UInt8) throws(Fault) {
    switch first {
    case UInt8(ascii: "{"): try begin(isObject: true)
    case UInt8(ascii: "["): try begin(isObject: false)
    case UInt8(ascii: "]") where expected == .firstValue: end()
    case UInt8(ascii: "]") where open.last == false: throw trailingComma
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: throw fault("begins no JSON value")
    }
  }

  private var trailingComma: Fault {
    fault("follows a comma, which JSON does not allow before a closing bracket", isTrailingComma: true)
  }

  private mutating func begin(isObject: Bool) throws(Fault) {
    guard open.count < NestingDepth.limit else {
      throw Fault(position: position, reason: "begins one level too many", isTooDeep: true)
    }
    open.append(isObject)
    expected = isObject ? .firstName : .firstValue
    position += 1
  }

  private mutating func end() {
    open.removeLast()
    expected = .next
    position += 1
  }

  private mutating func name(_ first: UInt8) throws(Fault) {
    switch first {
    case UInt8(ascii: "\""):
      try string()
      expected = .colon
    case UInt8(ascii: "}") where expected == .firstName: end()
    case UInt8(ascii: "}"): throw trailingComma
    default: throw fault("stands where a member's name in quotation marks is expected")
    }
  }

  private mutating func separator(_ byte: UInt8) throws(Fault) {
    guard let isObject = open.last else { throw fault("follows the end of the JSON value") }
    switch byte {
    case UInt8(ascii: ","):
      position += 1
      expected = isObject ? .name : .value
    case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject: end()
    default: throw fault("stands where `,` or `\(isObject ? "}" : "]")` is expected")
    }
  }
}

/// The scalars.
extension JSONSyntax {
  private mutating func literal(_ word: StaticString) throws(Fault) {
    let start = position
    for index in 0..<word.utf8CodeUnitCount {
      guard let byte = byte(), byte == word.utf8Start[index] else {
        if byte() == nil { throw fault("is missing: the text ends inside a word") }
        position = start
        throw fault("begins no JSON value")
      }
      position += 1
    }
    expected = .next
  }

  private mutating func number() throws(Fault) {
    if byte() == UInt8(ascii: "-") { position += 1 }
    let first = byte()
    let count = try digits()
    if first == UInt8(ascii: "0"), count > 1 { throw fault("follows a number that begins with 0") }
    if byte() == UInt8(ascii: ".") {
      position += 1
      _ = try digits()
    }
    if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
      position += 1
      if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { position += 1 }
      _ = try digits()
    }
    expected = .next
  }

  /// Skips one or more digits; returns their number.
  private mutating func digits() throws(Fault) -> Int {
    let start = position
    while let byte = byte(), byte.isDigit { position += 1 }
    guard position > start else {
      throw fault(byte() == nil ? "is missing: the text ends inside a number" : "stands where a digit is expected")
    }
    return position - start
  }

  private mutating func string() throws(Fault) {
    position += 1
    while let byte = byte() {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        expected = .next
        return
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw inString("is a control character inside a string, which JSON requires to be escaped")
      default: position += 1
      }
    }
    throw inString("is missing: the text ends inside a string")
  }

  private func inString(_ reason: String) -> Fault { Fault(position: position, reason: reason) }

  private mutating func escape() throws(Fault) {
    let start = position
    position += 1
    guard let byte = byte() else { throw inString("is missing: the text ends inside a string") }
    guard byte == UInt8(ascii: "u") else {
      guard #""\/bfnrt"#.utf8.contains(byte) else { throw inString("is no escape of JSON") }
      position += 1
      return
    }
    let unit = try unit()
    if UTF16.isTrailSurrogate(unit) { throw Fault(position: start, reason: "begins an escape of half a character") }
    guard UTF16.isLeadSurrogate(unit) else { return }
    let end = position
    if self.byte() == UInt8(ascii: "\\") {
      position += 1
      if self.byte() == UInt8(ascii: "u"), UTF16.isTrailSurrogate(try self.unit()) { return }
    }
    if end == text.count { throw inString("is missing: the text ends inside a string") }
    throw Fault(position: start, reason: "begins an escape of half a character")
  }

  /// Reads the `u` of an escape and its four hexadecimal digits.
  private mutating func unit() throws(Fault) -> UInt16 {
    var unit: UInt16 = 0
    position += 1
    for _ in 0..<4 {
      guard let byte = byte() else { throw inString("is missing: the text ends inside a string") }
      guard let digit = Hexadecimal.value(of: byte) else {
        throw inString("stands where a hexadecimal digit is expected")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
