@testable import LupineSupport
import Testing

@testable import LupineCore

@Suite struct StringFieldGrammarTests {
  @Test(arguments: [
    ("token-1.0", "token-1.0"), ("", "\"\""), ("a b", "\"a b\""), (#"a"b\c"#, #""a\"b\\c""#),
    ("\"\u{301}", "\"\\\"\u{301}\""), ("\\\u{301}", "\"\\\\\u{301}\""), ("\u{FC}", "\"\u{FC}\""),
  ])
  func `a value that is no token is quoted, with quotes and backslashes escaped`(text: String, expected: String) {
    #expect(text.tokenOrQuotedString.unicodeScalars.elementsEqual(expected.unicodeScalars))
    #expect(text.isToken == (text == expected))
  }

  @Test func `a quoted value comes back, be its quote followed by an accent`() {
    let type = MediaType(type: "a", subtype: "b", parameters: [.init(name: "c", value: "x\"\u{301}; d=e")])
    #expect(MediaType(type.description) == type)
  }
}
