import LupineCoding
import LupineCore
import LupineSupport

/// Encodes values as `application/x-www-form-urlencoded` (RFC 6749 appendix B).
enum FormText {
  private static let allowed = URLEncodedFormEncoder.AllowedCharacters.unreserved.removing("~").inserting("*")

  static func encoded(_ text: String) -> String {
    PercentCoding.encoded(Array(text.utf8), allowing: allowed, spaceAsPlus: true)
  }
}
