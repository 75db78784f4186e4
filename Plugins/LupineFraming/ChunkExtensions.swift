import LupineCore
import LupineSupport

/// The state of a reader within the extensions of a chunk (RFC 9112 section 7.1.1).
enum ChunkExtensions {
  /// In white space after the size or a complete extension; a semicolon must follow.
  case blank
  /// Before a name, which must follow.
  case beforeName
  case name
  /// In white space after a name.
  case behindName
  /// Before a value, which must follow.
  case beforeValue
  /// In a value that is a token.
  case token
  /// In a quoted string.
  case quoted
  /// After a backslash in a quoted string.
  case escaped
  /// After a quoted string.
  case behindQuotes

  /// Whether the extensions may end in this state.
  var mayEnd: Bool { self == .name || self == .token || self == .behindQuotes }

  /// Returns the state after this byte; `nil` if the grammar does not allow the byte.
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
