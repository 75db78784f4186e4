import LupineCore
import LupineSupport

extension Multipart {
  /// What the parts of a multipart are to each other.
  public struct Subtype: Sendable, Hashable, RawRepresentable {
    /// The word after `multipart/`.
    public let rawValue: String

    /// Names a subtype; `nil` where the word is no token (RFC 9110 section 5.6.2).
    public init?(rawValue: String) {
      guard rawValue.isToken else { return nil }
      self.rawValue = rawValue
    }

    private init(known: String) { rawValue = known }

    /// Fields of a form (RFC 7578).
    public static let formData = Subtype(known: "form-data")
    /// Parts that are independent of each other (RFC 2046 section 5.1.3).
    public static let mixed = Subtype(known: "mixed")
    /// The same in several forms, the plainest first (RFC 2046 section 5.1.4).
    public static let alternative = Subtype(known: "alternative")
    /// A whole of several parts, of which one is the root (RFC 2387).
    public static let related = Subtype(known: "related")
    /// Ranges of one whole (RFC 9110 section 14.6).
    public static let byteranges = Subtype(known: "byteranges")
  }
}
