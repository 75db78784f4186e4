import Testing

@testable import LupineCore
@testable import LupineSupport
@testable import LupineCoding

@Suite struct PercentCodingTests {
  @Test(arguments: [
    ("", "aZ09", "aZ09"), ("", "a b", "a%20b"), ("/", "a/b~", "a/b~"), ("", "a/-._~*", "a%2F-._~%2A"),
    ("", "\u{E9}\n", "%C3%A9%0A"),
  ])
  func `allowed characters are unchanged`(others: String, text: String, expected: String) {
    let allowed = URLEncodedFormEncoder.AllowedCharacters.unreserved.inserting(others)
    #expect(allowed.encoding(text.utf8) == expected)
  }

  @Test func `every byte comes back`() {
    let bytes = Array(UInt8.min...UInt8.max)
    let text = URLEncodedFormEncoder.AllowedCharacters.unreserved.encoding(bytes, spaceAsPlus: true)
    let decoded = PercentCoding.decoded(text[...], plusIsSpace: true)
    #expect(decoded.bytes == bytes)
    #expect(decoded.isValid)
  }

  @Test func `digits of either case are read`() {
    #expect(PercentCoding.text("%c3%A9+") == "\u{E9}+")
  }

  @Test(arguments: ["%", "%4", "%+a", "%-1", "% 1", "%4g", "%g4", "%%41"])
  func `a percent sign without two digits is unchanged, or makes the text invalid`(text: String) {
    let (bytes, isValid) = PercentCoding.decoded(text[...])
    #expect(String(decoding: bytes, as: UTF8.self) == text.replacing("%41", with: "A"))
    #expect(!isValid)
    #expect(PercentCoding.text(text[...]) == nil)
  }

  @Test func `bytes that are no text stay bytes`() {
    #expect(PercentCoding.decoded("%FF+").bytes == [0xFF, 0x2B])
    #expect(PercentCoding.text("%FF") == nil)
  }
}
