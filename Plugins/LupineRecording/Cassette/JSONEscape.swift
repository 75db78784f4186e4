import LupineSupport

/// The escapes of JSON strings.
enum JSONEscape {
  /// The letters that stand behind a backslash, except `u`.
  static let letters = Array(#""\/bfnrt"#.utf8)

  /// The byte that a backslash with this letter stands for.
  static func plain(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  /// The character of an escape such as `\u00e9`, or of two that are a pair; `nil` if the escape is invalid.
  static func character(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
    guard let first = unit(text) else { return nil }
    if let scalar = Unicode.Scalar(first) { return (Array(String(scalar).utf8), 6) }
    guard UTF16.isLeadSurrogate(first), let second = unit(text.dropFirst(6)), UTF16.isTrailSurrogate(second),
      let scalar = Unicode.Scalar(0x1_0000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
    else { return nil }
    return (Array(String(scalar).utf8), 12)
  }

  private static func unit(_ text: ArraySlice<UInt8>) -> UInt16? {
    guard text.count >= 6, text.starts(with: #"\u"#.utf8) else { return nil }
    var unit: UInt16 = 0
    for digit in text.dropFirst(2).prefix(4) {
      guard let value = Hexadecimal.value(of: digit) else { return nil }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }
}

extension UInt8 {
  /// Whether the byte is white space of JSON.
  var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
