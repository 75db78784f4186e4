/// The text of a form's value (`application/x-www-form-urlencoded`), as RFC 6749 appendix B wants it.
enum FormText {
  static func encoded(_ text: String) -> String {
    PercentEncoding.encoded(text.utf8, keeping: "*-._ ").replacing(" ", with: "+")
  }
}
