import LupineSupport

/// The strings of JSON.
enum JSONString {
  /// Decodes the escapes of a string whose syntax is valid; `nil` if an escape is half of a character.
  static func decode(_ content: ArraySlice<UInt8>) -> String? {
    var text: [UInt8] = []
    text.reserveCapacity(content.count)
    var position = content.startIndex
    while position < content.endIndex {
      guard content[position] == .backslash else {
        text.append(content[position])
        position += 1
        continue
      }
      guard content[position + 1] == UInt8(ascii: "u") else {
        text.append(JSONEscape.plain(content[position + 1]))
        position += 2
        continue
      }
      guard let (bytes, count) = JSONEscape.character(content[position...]) else { return nil }
      text += bytes
      position += count
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Writes a string.
  ///
  /// Characters that an editor or a terminal does not show, or that hide others, are escaped.
  static func write(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        text.append(.backslash)
        text.append(UInt8(ascii: scalar))
      case "\n": text += #"\n"#.utf8
      case "\r": text += #"\r"#.utf8
      case "\t": text += #"\t"#.utf8
      case _ where scalar.isHidden: text += (#"\u"# + Hexadecimal.text(UInt16(scalar.value), digits: 4)).utf8
      default: text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}

extension Unicode.Scalar {
  /// Whether the character is a control, a mark that changes the direction of text, a line separator or a mark without
  /// width; each of them is below U+10000.
  var isHidden: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    default: false
    }
  }
}
