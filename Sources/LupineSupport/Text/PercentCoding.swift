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

extension Substring {
  /// Returns the percent-decoded text; an invalid escape is kept unchanged, and invalid UTF-8 is replaced.
  public func percentDecoded(plusIsSpace: Bool = false) -> String {
    guard utf8.contains(.percent) || plusIsSpace && utf8.contains(UInt8(ascii: "+")) else { return String(self) }
    return String(decoding: PercentCoding.decoded(self, plusIsSpace: plusIsSpace).bytes, as: UTF8.self)
  }
}

/// Hexadecimal digits.
public enum Hexadecimal {
  /// Returns two lower-case digits for each byte.
  public static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      text.append(upperCaseDigit(byte >> 4) | 0x20)
      text.append(upperCaseDigit(byte & 0xF) | 0x20)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a number with at least `digits` lower-case digits.
  public static func text(_ number: some FixedWidthInteger & UnsignedInteger, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// Returns the digit for a value below 16.
  public static func upperCaseDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  /// Returns the value of a digit of either case; `nil` for every other byte, such as a sign, which `UInt8(_:radix:)`
  /// accepts.
  public static func value(of digit: UInt8) -> UInt8? {
    guard digit.isHex else { return nil }
    return digit.isDigit ? digit - 0x30 : (digit | 0x20) - 0x57
  }
}
