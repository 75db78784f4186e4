public import HTTPTypes

extension HTTPField.Name {
  /// `Host`, for which swift-http-types has no constant because its requests have an authority.
  public static let host = HTTPField.Name(constant: "Host")
}

extension HTTPFields {
  /// Returns the value of a field that a message has once (RFC 9110 section 5.5).
  ///
  /// Equal values count as one. `nil` if there is none, or if the values differ, because no rule says which one holds.
  public func singleton(_ name: HTTPField.Name) -> String? {
    let values = self[values: name]
    guard let first = values.first, values.dropFirst().allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

extension UInt8 {
  /// The byte of SP.
  public static let space: UInt8 = 0x20
  /// The byte of `#`.
  public static let hash: UInt8 = 0x23
  /// The byte of `%`.
  public static let percent: UInt8 = 0x25
  /// The byte of `.`.
  public static let dot: UInt8 = 0x2E
  /// The byte of `/`.
  public static let slash: UInt8 = 0x2F
  /// The byte of `:`.
  public static let colon: UInt8 = 0x3A
  /// The byte of `?`.
  public static let question: UInt8 = 0x3F
  /// The byte of `@`.
  public static let at: UInt8 = 0x40
  /// The byte of `[`.
  public static let openBracket: UInt8 = 0x5B
  /// The byte of `\`.
  public static let backslash: UInt8 = 0x5C
  /// The byte of `]`.
  public static let closeBracket: UInt8 = 0x5D

  /// C0 controls and DEL.
  public var isControl: Bool { self < 0x20 || self == 0x7F }
  /// Whether the byte is a capital letter.
  public var isUpper: Bool { self &- 0x41 < 26 }
  /// Whether the byte is a letter of ASCII.
  public var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  /// Whether the byte is a small letter, a digit, `-` or `_`: one check that covers most bytes of host names.
  public var isPlainInHost: Bool {
    let plain: UInt64 = self & 0x40 == 0 ? 0x03FF_2000_0000_0000 : 0x07FF_FFFE_8000_0000
    return self < 0x80 && (plain &>> UInt64(self & 0x3F)) & 1 == 1
  }
  /// Whether the byte is a hexadecimal digit of either case.
  public var isHex: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }
}

extension UInt8 {
  /// Whether the byte is allowed in a token, such as a field name (RFC 9110 section 5.6.2).
  @inlinable
  public var isTokenByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// Whether the byte is allowed in a field value or a reason phrase (RFC 9110 section 5.5).
  @inlinable
  public var isFieldByte: Bool { self >= 0x20 ? self != 0x7F : self == 0x09 }

  /// Whether the byte is a decimal digit.
  @inlinable
  public var isDigit: Bool { self &- 0x30 < 10 }

  /// Whether the byte is a space or a tab.
  @inlinable
  public var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension String {
  /// Whether the text is a token, such as a field name (RFC 9110 section 5.6.2).
  public var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenByte) }

  /// The text as a quoted string (RFC 9110 section 5.6.4).
  public var quotedString: String {
    var quoted: [UInt8] = [UInt8(ascii: "\"")]
    // Bytes, because a quote followed by a combining accent is a single character that is not equal to a quote.
    for byte in utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
      quoted.append(byte)
    }
    quoted.append(UInt8(ascii: "\""))
    return String(decoding: quoted, as: UTF8.self)
  }

  /// The text as a parameter value: unchanged if it is a token, else quoted.
  public var tokenOrQuotedString: String { isToken ? self : quotedString }
}

extension StringProtocol {
  /// The text without spaces and tabs at its ends (RFC 9110 section 5.6.3).
  public func trimmingBlanks() -> SubSequence {
    var text = self[startIndex..<endIndex]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}

extension StringProtocol {
  /// Returns the longest prefix of whole characters that has at most `limit` bytes in UTF-8.
  public func cut(toBytes limit: Int) -> String {
    var room = limit
    return String(
      prefix { character in
        room -= character.utf8.count
        return room >= 0
      })
  }
}

extension HTTPField.Name {
  /// Creates a name from a constant.
  ///
  /// A constant that is not a token (RFC 9110 section 5.6.2) is a programming error.
  public init(constant: StaticString) {
    guard let name = HTTPField.Name("\(constant)") else { preconditionFailure("\(constant) is no name of a field.") }
    self = name
  }
}
