/// Bytes as text, percent-encoded (RFC 3986 section 2.1) but for letters, digits and some others.
enum PercentEncoding {
  static func encoded(_ bytes: some Sequence<UInt8>, keeping others: String) -> String {
    let kept = Array(others.utf8)
    var text = ""
    for byte in bytes {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: text.unicodeScalars.append(UnicodeScalar(byte))
      case _ where kept.contains(byte): text.unicodeScalars.append(UnicodeScalar(byte))
      default: text += "%" + Hexadecimal.text(CollectionOfOne(byte)).uppercased()
      }
    }
    return text
  }
}
