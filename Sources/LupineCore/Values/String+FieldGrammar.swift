extension String {
  /// Whether the text is a token, such as a field's name (RFC 9110 section 5.6.2).
  package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenByte) }

  /// The text as a quoted string (RFC 9110 section 5.6.4).
  package var quotedString: String {
    var quoted: [UInt8] = [UInt8(ascii: "\"")]
    // Bytes, since a quote with an accent behind it is one character, and another one than a quote.
    for byte in utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
      quoted.append(byte)
    }
    quoted.append(UInt8(ascii: "\""))
    return String(decoding: quoted, as: UTF8.self)
  }

  /// The text as the value of a parameter: as it is where it is a token, else quoted.
  package var tokenOrQuotedString: String { isToken ? self : quotedString }
}
