import FoundationEssentials
import Testing

@testable import LupineCore

/// Counts the bytes that a parser looks at; `ChallengeParser`, `MediaTypeParser` and `URLParser` have their own tests.
@Suite struct LinearityTests {
  private static let units = [
    "@", ";", ",", "\t", "%", "{", "=", "\"", "\\", " ", "/", ":", "<", ">", "</", "<a>", "<!--", "-->", "<![CDATA[",
    "]]>",
    "<?", "?>", "\r", "\n", "\r\n", "data:a\n", "data\n", "id:", "a",
  ]

  private static func text(_ unit: String, _ length: Int = 16 << 10) -> String {
    String(repeating: unit, count: length / unit.utf8.count)
  }

  @Test(arguments: units)
  func `S35 lines are cut in linear steps, in whatever pieces they come`(unit: String) {
    let bytes = Array(Self.text(unit).utf8)
    for size in [1, 2, 1_000, bytes.count] {
      var splitter = LineSplitter(limit: bytes.count)
      for start in stride(from: 0, to: bytes.count, by: size) {
        _ = splitter.take(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      #expect(splitter.steps >= bytes.count)
      #expect(splitter.steps <= 3 * bytes.count)
    }
  }

  @Test(arguments: units)
  func `S35 events are read in linear steps`(unit: String) throws {
    let text = Self.text(unit)
    var splitter = LineSplitter(limit: text.utf8.count)
    var parser = ServerSentEventParser(limit: text.utf8.count)
    let lines = splitter.take(Array((text + "\n\n").utf8))
    for line in lines { _ = try parser.take(line) }
    #expect(parser.steps > 0)
    #expect(parser.steps <= 3 * text.utf8.count + 16)
  }

  @Test(arguments: units)
  func `S35 the levels of an XML property list are counted in linear steps`(unit: String) {
    for text in [Self.text(unit), "<plist>" + Self.text(unit), "<!--" + Self.text(unit), "<?" + Self.text(unit)] {
      var scanner = XMLDepthScanner(Data(text.utf8))
      try? scanner.check()
      #expect(scanner.steps > 0)
      // At each `<` three marks of twelve bytes in all are compared.
      #expect(scanner.steps <= 16 * text.utf8.count)
    }
  }

  @Test(arguments: units)
  func `S35 a form's text grows to three times its size at most`(unit: String) {
    let text = Self.text(unit)
    var output: [UInt8] = []
    FormEscaping.append(text, to: &output, allowing: .unreserved, spaceAsPlus: false)
    #expect((text.utf8.count...3 * text.utf8.count).contains(output.count))
  }
}
