import LupineCore
import LupineSupport

extension Multipart {
  /// The subtype of a multipart media type: the relation of the parts to each other.
  public struct Subtype: Sendable, Hashable, RawRepresentable {
    /// The token after `multipart/`.
    public let rawValue: String

    /// Creates a subtype; `nil` if the value is not a token (RFC 9110 section 5.6.2).
    public init?(rawValue: String) {
      guard rawValue.isToken else { return nil }
      self.rawValue = rawValue
    }

    private init(known: String) { rawValue = known }

    /// The fields of a form (RFC 7578).
    public static let formData = Subtype(known: "form-data")
    /// Independent parts (RFC 2046 section 5.1.3).
    public static let mixed = Subtype(known: "mixed")
    /// Alternative versions of the same content, the plainest first (RFC 2046 section 5.1.4).
    public static let alternative = Subtype(known: "alternative")
    /// A compound object whose parts refer to each other; one part is the root (RFC 2387).
    public static let related = Subtype(known: "related")
    /// Several ranges of one representation (RFC 9110 section 14.6).
    public static let byteranges = Subtype(known: "byteranges")
  }
}
