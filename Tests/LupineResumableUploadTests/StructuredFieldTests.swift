import Testing

@testable import LupineResumableUpload

/// Structured fields, as a server may send them.
@Suite struct StructuredFieldTests {
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
    #expect(StructuredField.integer(text) == value, "\(text.debugDescription)")
    #expect(StructuredField.count(text) == value.flatMap { $0 < 0 ? nil : $0 }, "\(text.debugDescription)")
  }

  static let booleans: [(text: String, value: Bool?)] = [
    ("?1", true), ("?0", false), ("?1;x", true), ("1", nil), ("?2", nil), ("?", nil), ("true", nil), ("?1, ?1", nil),
    ("?11", nil), ("", nil),
  ]

  @Test(arguments: booleans.indices) func `an item is a boolean`(place: Int) {
    let (text, value) = Self.booleans[place]
    #expect(StructuredField.boolean(text) == value, "\(text.debugDescription)")
  }

  static let dictionaries: [(text: String, members: [String: StructuredField.Value]?)] = [
    ("", [:]),
    ("max-size=1", ["max-size": .integer(1)]),
    ("max-size=1,min-size=2", ["max-size": .integer(1), "min-size": .integer(2)]),
    ("a=1 \t,\t b=?0", ["a": .integer(1), "b": .boolean(false)]),
    ("a, b;c=1", ["a": .boolean(true), "b": .boolean(true)]),
    ("a=1, a=2", ["a": .integer(2)]),
    (
      #"a="x\"y\\", b=tok/en:1, c=:AQ==:, d=@12, e=1.5, f=%"u", g=*"#,
      [
        "a": .other, "b": .other, "c": .other, "d": .other, "e": .other, "f": .other, "g": .other,
      ]
    ),
    ("a=(1 2;x \"y\");z, b=()", ["a": .other, "b": .other]),
    ("a=1,", nil), (",a=1", nil), ("a=1;;", nil), ("a=", nil), ("A=1", nil), ("a=1 b=2", nil), ("a=(1", nil),
    ("a=(1,2)", nil), ("a=\"x", nil), (#"a="\x""#, nil), ("a=:x", nil), ("=1", nil), ("a=1\u{0}", nil),
  ]

  @Test(arguments: dictionaries.indices) func `a dictionary has the last member of each name`(place: Int) {
    let (text, members) = Self.dictionaries[place]
    #expect(StructuredField.dictionary(text) == members, "\(text.debugDescription)")
  }

  @Test func `no prefix of a dictionary traps`() {
    let text = #"a="x\"", b=tok, c=:AQ==:, d=@12, e=1.5, f=(1 "2" ?1);g=1, h;i=-5"#
    for count in 0...text.count { _ = StructuredField.dictionary(String(text.prefix(count))) }
  }
}
