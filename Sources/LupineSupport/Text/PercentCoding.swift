/// Percent-encoding (RFC 3986 section 2.1), with upper-case digits.
public enum PercentCoding {
  /// Appends a byte as a percent-encoded triplet.
  public static func append(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(.percent)
    output.append(Hexadecimal.upperCaseDigit(byte >> 4))
    output.append(Hexadecimal.upperCaseDigit(byte & 0xF))
  }

  /// Decodes a text and reports whether each percent sign begins a valid escape; an invalid one is kept unchanged.
  public static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> (bytes: [UInt8], isValid: Bool) {
    var bytes: [UInt8] = []
    var isValid = true
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == .percent else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? .space : byte)
        continue
      }
      var behind = rest
      if let high = behind.popFirst().flatMap(Hexadecimal.value), let low = behind.popFirst().flatMap(Hexadecimal.value)
      {
        bytes.append(high << 4 | low)
        rest = behind
      } else {
        bytes.append(byte)
        isValid = false
      }
    }
    return (bytes, isValid)
  }

  /// Decodes a text; `nil` if a percent sign begins no escape, or if the result is no UTF-8.
  public static func text(_ text: Substring) -> String? {
    let (bytes, isValid) = decoded(text)
    return isValid ? String(validating: bytes, as: UTF8.self) : nil
  }
}
