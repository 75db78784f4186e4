import HTTPTypes
import LupineFoundation
import LupineSupport

/// Reads the dates of fields that decide about freshness.
///
/// The form must be exact, because an invalid `Expires` makes a response stale (RFC 9111 section 5.3). Only the case of
/// letters does not matter.
enum FieldDate {
  /// Returns the date of a field; `nil` if it is absent, repeated or invalid.
  static func date(_ name: HTTPField.Name, in fields: HTTPFields, now: Date) -> Date? {
    let values = fields[values: name]
    return values.count == 1 ? parse(values[0], now: now) : nil
  }

  /// Returns the date of a text in one of the three formats (RFC 9110 section 5.6.7); `nil` if it is invalid.
  static func parse(_ text: String, now: Date) -> Date? {
    if let date = HTTPDate.parsePreferred(text) { return date }
    guard hasForm(Array(text.utf8)) else { return nil }
    return HTTPDate.parse(canonicalCase(text), now: now)
  }

  private static func hasForm(_ bytes: [UInt8]) -> Bool {
    matches(bytes, "aaa, 00 aaa 0000 00:00:00 aaa") || matches(bytes, "aaa aaa _0 00:00:00 0000")
      || isOfRFC850(bytes)
  }

  /// Whether the text has the form of `Sunday, 06-Nov-94 08:49:37 GMT`, whose weekday has any length.
  private static func isOfRFC850(_ bytes: [UInt8]) -> Bool {
    guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")), (6...9).contains(comma) else { return false }
    return bytes[..<comma].allSatisfy(\.isLetter) && matches(Array(bytes[comma...]), ", 00-aaa-00 00:00:00 aaa")
  }

  /// Whether the text has the form of a pattern: `a` is a letter, `0` a digit, `_` a digit or a space.
  private static func matches(_ bytes: [UInt8], _ pattern: StaticString) -> Bool {
    guard bytes.count == pattern.utf8CodeUnitCount else { return false }
    return bytes.indices.allSatisfy { index in
      switch pattern.utf8Start[index] {
      case UInt8(ascii: "a"): bytes[index].isLetter
      case UInt8(ascii: "0"): bytes[index].isDigit
      case UInt8(ascii: "_"): bytes[index].isDigit || bytes[index] == .space
      case let other: bytes[index] == other
      }
    }
  }

  /// Returns the text with the zone in capitals, and each other word with a capital first.
  private static func canonicalCase(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      let startsWord = !(result.last?.isLetter ?? false)
      result.append(!byte.isLetter ? byte : startsWord ? byte & ~0x20 : byte | 0x20)
    }
    let canonical = String(decoding: result, as: UTF8.self)
    return canonical.hasSuffix("Gmt") ? canonical.dropLast(3) + "GMT" : canonical
  }
}
