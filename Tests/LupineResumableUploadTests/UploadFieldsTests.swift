import LupineSupport
import Testing

@testable import LupineResumableUpload

/// The items that a server may send.
@Suite struct UploadFieldsTests {
  static let integers: [(text: String, value: Int64?)] = [
    ("0", 0), ("00", 0), ("25", 25), (" 25 ", 25), ("25;seen=?1;by=\"x\"", 25), ("-3", -3),
    ("999999999999999", 999_999_999_999_999),
    // Not an integer, too many digits, or more than an item.
    ("1000000000000000", nil), ("", nil), (" ", nil), ("-", nil), ("+5", nil), ("5.0", nil), ("0x10", nil),
    ("5, 5", nil),
    ("5 5", nil), ("\"5\"", nil), ("?1", nil), ("five", nil), ("@5", nil), ("5;", nil), ("5;A=1", nil), ("\t5", nil),
    ("5\u{0}", nil), ("٥", nil), (":NQ==:", nil), ("(5)", nil), ("9223372036854775808", nil),
  ]

  @Test(arguments: integers.indices) func `an item is an integer of at most 15 digits`(place: Int) {
    let (text, value) = Self.integers[place]
    let item = StructuredItem(text)?.value
    let number: Int64? = if case .integer(let number) = item { number } else { nil }
    #expect(number == value, "\(text.debugDescription)")
    #expect(item?.count == value.flatMap { $0 < 0 ? nil : $0 }, "\(text.debugDescription)")
  }

  static let booleans: [(text: String, value: Bool?)] = [
    ("?1", true), ("?0", false), ("?1;x", true), ("1", nil), ("?2", nil), ("?", nil), ("true", nil), ("?1, ?1", nil),
    ("?11", nil), ("", nil),
  ]

  @Test(arguments: booleans.indices) func `an item is a boolean`(place: Int) {
    let (text, value) = Self.booleans[place]
    let item = StructuredItem(text)?.value
    let found: Bool? = if case .boolean(let found) = item { found } else { nil }
    #expect(found == value, "\(text.debugDescription)")
  }
}
