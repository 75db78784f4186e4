import Testing

@testable import LupineAuthentication

@Suite struct PercentEncodingTests {
  @Test(arguments: [
    ("", "aZ09", "aZ09"), ("", "a b", "a%20b"), (" ", "a b", "a b"), ("/", "a/b~", "a/b%7E"),
    ("-._~", "-._~*", "-._~%2A"),
    ("", "\u{E9}\n", "%C3%A9%0A"),
  ])
  func `letters, digits and what is kept stand as they are`(kept: String, text: String, expected: String) {
    #expect(PercentEncoding.encoded(text.utf8, keeping: kept) == expected)
  }

  @Test func `a form has a plus for a space, and no plus of its own`() {
    #expect(FormText.encoded("a b+c*~") == "a+b%2Bc*%7E")
  }
}
