/// The text of a form's value (`application/x-www-form-urlencoded`), as RFC 6749 appendix B wants it.
enum FormText {
  static func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F:
        encoded.unicodeScalars.append(UnicodeScalar(byte))
      case 0x20: encoded += "+"
      default: encoded += "%" + Hexadecimal.text(CollectionOfOne(byte)).uppercased()
      }
    }
    return encoded
  }
}
