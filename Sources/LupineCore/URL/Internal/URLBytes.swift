extension UInt8 {
  static let space: UInt8 = 0x20
  static let hash: UInt8 = 0x23
  static let percent: UInt8 = 0x25
  static let dot: UInt8 = 0x2E
  static let slash: UInt8 = 0x2F
  static let colon: UInt8 = 0x3A
  static let question: UInt8 = 0x3F
  static let at: UInt8 = 0x40
  static let openBracket: UInt8 = 0x5B
  static let backslash: UInt8 = 0x5C
  static let closeBracket: UInt8 = 0x5D

  /// C0 controls and DEL.
  var isControl: Bool { self < 0x20 || self == 0x7F }
  var isUpper: Bool { self &- 0x41 < 26 }
  var isLower: Bool { self &- 0x61 < 26 }
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  /// Small letters, digits, `-` and `_`: one look, for what most bytes of hosts are.
  var isPlainInHost: Bool {
    let plain: UInt64 = self & 0x40 == 0 ? 0x03FF_2000_0000_0000 : 0x07FF_FFFE_8000_0000
    return self < 0x80 && (plain &>> UInt64(self & 0x3F)) & 1 == 1
  }
  var isHex: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }
}
