extension UInt8 {
  package static let space: UInt8 = 0x20
  package static let hash: UInt8 = 0x23
  package static let percent: UInt8 = 0x25
  package static let dot: UInt8 = 0x2E
  package static let slash: UInt8 = 0x2F
  package static let colon: UInt8 = 0x3A
  package static let question: UInt8 = 0x3F
  package static let at: UInt8 = 0x40
  package static let openBracket: UInt8 = 0x5B
  package static let backslash: UInt8 = 0x5C
  package static let closeBracket: UInt8 = 0x5D

  /// C0 controls and DEL.
  package var isControl: Bool { self < 0x20 || self == 0x7F }
  package var isUpper: Bool { self &- 0x41 < 26 }
  package var isLower: Bool { self &- 0x61 < 26 }
  package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  /// Small letters, digits, `-` and `_`: one look, for what most bytes of hosts are.
  package var isPlainInHost: Bool {
    let plain: UInt64 = self & 0x40 == 0 ? 0x03FF_2000_0000_0000 : 0x07FF_FFFE_8000_0000
    return self < 0x80 && (plain &>> UInt64(self & 0x3F)) & 1 == 1
  }
  package var isHex: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }
}
