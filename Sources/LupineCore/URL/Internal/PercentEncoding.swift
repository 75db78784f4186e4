/// Which bytes stand for themselves behind the authority.
enum PercentEncoding {
  /// What becomes of a byte.
  enum Rule {
    case keep
    case encode
    case control
    case percent
    case dot
    case question
    case hash
    case backslash
  }

  /// The rule for a byte; the compiler makes a table of it.
  static func rule(for byte: UInt8) -> Rule {
    switch byte {
    case 0x00...0x1F, 0x7F: .control
    // The space, double quote, angle brackets, circumflex, backtick and braces with the bar, and what is not ASCII.
    case 0x20, 0x22, 0x3C, 0x3E, 0x5E, 0x60, 0x7B...0x7D, 0x80...0xFF: .encode
    case 0x23: .hash
    case 0x25: .percent
    case 0x2E: .dot
    case 0x3F: .question
    case 0x5C: .backslash
    default: .keep
    }
  }
}
