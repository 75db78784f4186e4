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
  /// Whether the byte is a small letter.
  public var isLower: Bool { self &- 0x61 < 26 }
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
