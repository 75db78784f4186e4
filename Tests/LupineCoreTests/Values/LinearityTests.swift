import FoundationEssentials
import Testing

@testable import LupineCore
@testable import LupineSupport
@testable import LupineCoding

/// The number of bytes that a parser reads; `ChallengeParser`, `MediaTypeParser` and `URLParser` have their own tests.
@Suite struct LinearityTests {
  private static let units = [
    "@", ";", ",", "\t", "%", "{", "=", "\"", "\\", " ", "/", ":", "<", ">", "</", "<a>", "<!--", "-->", "<![CDATA[",
    "]]>",
    "<?", "?>", "\r", "\n", "\r\n", "a",
  ]

  private static func text(_ unit: String, _ length: Int = 16 << 10) -> String {
    String(repeating: unit, count: length / unit.utf8.count)
  }

  @Test(arguments: units)
  func `the levels of an XML property list are counted in linear steps`(unit: String) {
    for text in [Self.text(unit), "<plist>" + Self.text(unit), "<!--" + Self.text(unit), "<?" + Self.text(unit)] {
      var scanner = XMLDepthScanner(Data(text.utf8))
      try? scanner.check()
      #expect(scanner.steps > 0)
      // At each `<` the scanner compares three markers, of twelve bytes in total.
      #expect(scanner.steps <= 16 * text.utf8.count)
    }
  }

  @Test(arguments: units)
  func `a form's text grows to three times its size at most`(unit: String) {
    let text = Self.text(unit)
    var output: [UInt8] = []
    URLEncodedFormEncoder.AllowedCharacters.unreserved.append(text.utf8, to: &output, spaceAsPlus: false)
    #expect((text.utf8.count...3 * text.utf8.count).contains(output.count))
  }
}
