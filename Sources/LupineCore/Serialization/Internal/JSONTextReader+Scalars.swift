extension JSONTextReader {
  /// Reads a text and its quotes (RFC 8259 section 7).
  mutating func readString() throws(LupineError) -> String {
    position += 1
    var unescaped: [UInt8] = []
    while true {
      let start = position
      position = end { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      let plain = bytes[start..<position]
      if take(UInt8(ascii: "\"")) {
        return try unescaped.isEmpty ? text(plain) : text(unescaped + plain)
      }
      guard take(UInt8(ascii: "\\")) else { throw problem("the end of a text was expected") }
      unescaped += plain
      try readEscape(into: &unescaped)
    }
  }

  private func text(_ content: some Collection<UInt8>) throws(LupineError) -> String {
    guard let text = String(validating: content, as: UTF8.self) else {
      throw problem("a text that is not UTF-8 ended")
    }
    return text
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(LupineError) {
    guard let byte = peek() else { throw problem("an escape was expected") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += try readScalar().utf8
    default: throw problem("an unknown escape ended")
    }
  }

  /// Reads the digits behind `\u`, and the second half of a pair.
  private mutating func readScalar() throws(LupineError) -> String {
    let first = try readUnit()
    guard UTF16.isLeadSurrogate(first) else {
      guard let scalar = Unicode.Scalar(first) else { throw problem("half a pair of surrogates ended") }
      return String(scalar)
    }
    guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw problem("half a pair of surrogates ended") }
    let second = try readUnit()
    guard UTF16.isTrailSurrogate(second) else { throw problem("half a pair of surrogates ended") }
    return String(decoding: [first, second], as: UTF16.self)
  }

  private mutating func readUnit() throws(LupineError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = peek().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw problem("four digits of an escape were expected")
      }
      position += 1
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  /// Reads a number (RFC 8259 section 6); one without a fraction becomes an integer, however it is written.
  mutating func readNumber() throws(LupineError) -> JSONValue {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try readDigits() }
    var isWhole = true
    if take(UInt8(ascii: ".")) {
      isWhole = false
      try readDigits()
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try readDigits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    if isWhole, let integer = UInt64(text) { return .unsignedInteger(integer) }
    guard let number = Double(text), number.isFinite else { throw problem("a number too large ended") }
    return Int64(exactly: number).map(JSONValue.integer) ?? UInt64(exactly: number).map(JSONValue.unsignedInteger)
      ?? .number(number)
  }

  private mutating func readDigits() throws(LupineError) {
    let after = end(of: \.isDigit)
    guard after > position else { throw problem("a digit was expected") }
    position = after
  }
}
