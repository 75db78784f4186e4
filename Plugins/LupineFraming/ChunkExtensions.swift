import LupineCore
import LupineSupport

/// Where a reader stands within the extensions of a chunk (RFC 9112 section 7.1.1).
enum ChunkExtensions {
  /// In white space behind the size or a whole extension: a semicolon has to follow.
  case blank
  /// Before a name, which has to follow.
  case beforeName
  case name
  /// In white space behind a name.
  case behindName
  /// Before a value, which has to follow.
  case beforeValue
  /// In a value that is a token.
  case token
  /// In a value in quotes.
  case quoted
  /// Behind a backslash in quotes.
  case escaped
  /// Behind a value in quotes.
  case behindQuotes

  /// Whether the extensions may end here.
  var mayEnd: Bool { self == .name || self == .token || self == .behindQuotes }

  /// Where the next byte leads; `nil` where the grammar does not allow the byte.
  func next(_ byte: UInt8) -> Self? {
    switch self {
    case .blank, .behindQuotes: Self.separator(byte)
    case .beforeName: byte.isBlank ? self : byte.isTokenByte ? .name : nil
    case .name, .behindName: nextInName(byte)
    case .beforeValue: byte.isBlank ? self : byte == 0x22 ? .quoted : byte.isTokenByte ? .token : nil
    case .token: byte.isTokenByte ? .token : Self.separator(byte)
    case .quoted: byte == 0x22 ? .behindQuotes : byte == 0x5C ? .escaped : byte.isFieldByte ? .quoted : nil
    case .escaped: byte.isFieldByte ? .quoted : nil
    }
  }

  private func nextInName(_ byte: UInt8) -> Self? {
    if byte == 0x3D { return .beforeValue }
    if byte == 0x3B { return .beforeName }
    if byte.isBlank { return .behindName }
    return self == .name && byte.isTokenByte ? .name : nil
  }

  private static func separator(_ byte: UInt8) -> Self? { byte == 0x3B ? .beforeName : byte.isBlank ? .blank : nil }
}
