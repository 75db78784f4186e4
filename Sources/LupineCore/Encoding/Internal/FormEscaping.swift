/// Percent-encoding (RFC 3986 section 2.1), with upper-case digits.
enum FormEscaping {
  /// The upper-case hexadecimal digit for a value below 16.
  static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  /// Appends a text, byte by byte of its UTF-8: allowed ones as they are, the others escaped.
  static func append(
    _ text: String, to output: inout [UInt8], allowing allowed: URLEncodedFormEncoder.AllowedCharacters,
    spaceAsPlus: Bool
  ) {
    for byte in text.utf8 {
      if spaceAsPlus && byte == UInt8(ascii: " ") {
        output.append(UInt8(ascii: "+"))
      } else if allowed.contains(byte) {
        output.append(byte)
      } else {
        output.append(UInt8(ascii: "%"))
        output.append(digit(byte >> 4))
        output.append(digit(byte & 15))
      }
    }
  }
}
