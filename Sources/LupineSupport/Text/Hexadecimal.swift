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
