/// What becomes of a byte behind the authority of a URL.
enum URLByteRule {
  case keep
  case encode
  case control
  case percent
  case dot
  case question
  case hash
  case backslash

  /// The rule for a byte; the compiler makes a table of it.
  init(_ byte: UInt8) {
    switch byte {
    case 0x00...0x1F, 0x7F: self = .control
    // The space, double quote, angle brackets, circumflex, backtick and braces with the bar, and what is not ASCII.
    case 0x20, 0x22, 0x3C, 0x3E, 0x5E, 0x60, 0x7B...0x7D, 0x80...0xFF: self = .encode
    case 0x23: self = .hash
    case 0x25: self = .percent
    case 0x2E: self = .dot
    case 0x3F: self = .question
    case 0x5C: self = .backslash
    default: self = .keep
    }
  }
}
