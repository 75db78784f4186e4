extension UInt8 {
  /// Whether the byte may stand in a token, such as a field's name (RFC 9110 section 5.6.2).
  @inlinable
  package var isTokenByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// Whether the byte may stand in a field's value or a reason phrase (RFC 9110 section 5.5).
  @inlinable
  package var isFieldByte: Bool { self >= 0x20 ? self != 0x7F : self == 0x09 }

  /// Whether the byte is a decimal digit.
  @inlinable
  package var isDigit: Bool { self &- 0x30 < 10 }

  /// Whether the byte is a space or a tab.
  @inlinable
  package var isBlank: Bool { self == 0x20 || self == 0x09 }
}
