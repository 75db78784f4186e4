/// The content of a ``ScriptedReply``.
public struct ScriptedBody: Sendable, Hashable {
  /// The bytes.
  public let bytes: [UInt8]

  /// No content; the reply still contains `Content-Length: 0` if its status allows that.
  public static let none = ScriptedBody(bytes: [])

  /// The given bytes.
  public static func bytes(_ bytes: [UInt8]) -> Self { Self(bytes: bytes) }

  /// A text in UTF-8.
  public static func text(_ text: String) -> Self { Self(bytes: Array(text.utf8)) }

  /// One byte, repeated; for bodies too large for memory use ``ScriptedReply/Step/repeat(_:count:)``.
  public static func filler(_ count: Int, byte: UInt8 = 0x61) -> Self {
    Self(bytes: [UInt8](repeating: byte, count: count))
  }
}
