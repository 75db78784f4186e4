import LupineCoding
import LupineCore
import LupineSupport

/// The text of a form's value (`application/x-www-form-urlencoded`), as RFC 6749 appendix B wants it.
enum FormText {
  private static let allowed = URLEncodedFormEncoder.AllowedCharacters.unreserved.removing("~").inserting("*")

  static func encoded(_ text: String) -> String {
    PercentCoding.encoded(Array(text.utf8), allowing: allowed, spaceAsPlus: true)
  }
}
