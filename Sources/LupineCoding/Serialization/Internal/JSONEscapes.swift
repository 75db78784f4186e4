import LupineSupport

/// Decodes the escapes of a JSON string (RFC 8259 section 7).
enum JSONEscapes {
  /// Returns the text between the quotation marks with its escapes decoded; a malformed escape is kept unchanged.
  static func undone(in text: UnsafeRawBufferPointer) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let byte = text[position]
      position += 1
      guard byte == UInt8(ascii: "\\"), position < text.count else {
        plain.append(byte)
        continue
      }
      if let (scalar, end) = scalar(in: text, at: position) {
        plain += String(Character(scalar)).utf8
        position = end
      } else {
        plain.append(byte)
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// Returns the character of an escape, read from the byte after its backslash, and the position after the escape.
  private static func scalar(in text: UnsafeRawBufferPointer, at start: Int) -> (Unicode.Scalar, end: Int)? {
    let byte = text[start]
    guard byte == UInt8(ascii: "u") else { return short[byte].map { (Unicode.Scalar($0), start + 1) } }
    guard let first = unit(in: text, at: start + 1) else { return nil }
    if let scalar = Unicode.Scalar(first) { return (scalar, start + 5) }
    guard UTF16.isLeadSurrogate(first), start + 6 < text.count, text[start + 5] == UInt8(ascii: "\\"),
      text[start + 6] == UInt8(ascii: "u"), let second = unit(in: text, at: start + 7),
      UTF16.isTrailSurrogate(second)
    else { return nil }
    let number = 0x10000 + (UInt32(first - 0xD800) << 10) + UInt32(second - 0xDC00)
    return Unicode.Scalar(number).map { ($0, start + 11) }
  }

  /// Returns the value of four hexadecimal digits; `nil` for anything else.
  private static func unit(in text: UnsafeRawBufferPointer, at start: Int) -> UInt16? {
    guard start + 4 <= text.count else { return nil }
    var unit: UInt16 = 0
    for byte in text[start..<start + 4] {
      guard let digit = Hexadecimal.value(of: byte) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  private static let short: [UInt8: UInt8] = [
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
    UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
  ]
}
