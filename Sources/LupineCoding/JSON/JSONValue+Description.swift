import LupineSupport

extension JSONValue: CustomStringConvertible {
  /// Compact JSON text with the members sorted by name.
  ///
  /// A number that JSON cannot express becomes `null`; a value that is nested deeper than 512 levels becomes `…`.
  public var description: String {
    var text: [UInt8] = []
    write(to: &text, depth: 0)
    return String(decoding: text, as: UTF8.self)
  }

  private func write(to text: inout [UInt8], depth: Int) {
    switch self {
    case .null: text += "null".utf8
    case .bool(let value): text += value.description.utf8
    case .integer(let value): text += value.description.utf8
    case .unsignedInteger(let value): text += value.description.utf8
    case .number(let value): text += (value.isFinite ? value.description : "null").utf8
    case .string(let value): Self.write(value, to: &text)
    case .array, .object:
      guard depth < Self.maximumDepth else {
        text += "…".utf8
        return
      }
      writeContainer(to: &text, depth: depth + 1)
    }
  }

  private func writeContainer(to text: inout [UInt8], depth: Int) {
    var isFirst = true
    func separate(_ text: inout [UInt8]) {
      if !isFirst { text += ",".utf8 }
      isFirst = false
    }
    if case .array(let elements) = self {
      text += "[".utf8
      for element in elements {
        separate(&text)
        element.write(to: &text, depth: depth)
      }
      text += "]".utf8
    } else if case .object(let members) = self {
      text += "{".utf8
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        separate(&text)
        Self.write(name, to: &text)
        text += ":".utf8
        value.write(to: &text, depth: depth)
      }
      text += "}".utf8
    }
  }

  private static func write(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): text += #"\n"#.utf8
      case UInt8(ascii: "\r"): text += #"\r"#.utf8
      case UInt8(ascii: "\t"): text += #"\t"#.utf8
      case 0..<0x20, 0x7f:
        text += #"\u00"#.utf8
        text += [Hexadecimal.upperCaseDigit(byte >> 4), Hexadecimal.upperCaseDigit(byte & 15)]
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
