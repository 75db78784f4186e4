import Testing

@testable import LupineCore

@Suite struct MediaTypeTests {
  @Test(arguments: [
    ("text/html", "text/html"),
    ("TEXT/HTML;Charset=UTF-8", "text/html; charset=UTF-8"),
    ("  text/html ; charset=utf-8  ", "text/html; charset=utf-8"),
    (#"text/html; charset="utf-8""#, "text/html; charset=utf-8"),
    (#"text/html; title="a \"b\" \\; c""#, #"text/html; title="a \"b\" \\; c""#),
    ("text/html;;; ;a=b;", "text/html; a=b"),
    ("application/vnd.api+json", "application/vnd.api+json"),
    ("*/*", "*/*"),
    (#"a/b; c="""#, #"a/b; c="""#),
  ])
  func `a media type is read`(field: String, description: String) {
    #expect(MediaType(field)?.description == description)
  }

  @Test(arguments: [
    "", "text", "text/", "/html", "text /html", "text/ html", "text/html charset=utf-8", "text/html; charset",
    "text/html; charset=", "text/html; charset = utf-8", #"text/html; charset="utf-8"#, "text/html, text/plain",
    "text/html; é=1", #"a/b; c="d\"#,
  ])
  func `a text that breaks the grammar is no media type`(field: String) { #expect(MediaType(field) == nil) }

  @Test func `the first parameter of a name counts`() {
    #expect(MediaType("a/b; charset=x; CHARSET=y")?.charset == "x")
  }

  @Test(arguments: [
    ("text/html, application/json;q=0.9, */*;q=0.1", ["text/html", "application/json", "*/*"]),
    (#"a/b;c="x,y", d/e"#, ["a/b", "d/e"]),
    (",, a/b ,,", ["a/b"]),
    ("broken, a/b, c/d e, f/g", ["a/b", "f/g"]),
    (#"a/b "x,y/z", c/d"#, ["c/d"]),
    ("", []),
  ])
  func `a list leaves out what breaks the grammar`(field: String, essences: [String]) {
    #expect(MediaType.list(field).map(\.essence) == essences)
  }

  @Test(arguments: [
    ("text/html", "text/html", true), ("text/html; a=b", "text/html", true), ("text/html", "TEXT/*", true),
    ("text/html", "*/*", true), ("text/html", "text/plain", false), ("text/html", "application/*", false),
    ("application/vnd.api+json", "application/json", false),
  ])
  func `a media range contains a type`(type: String, range: String, isMatch: Bool) throws {
    #expect(try #require(MediaType(type)).matches(try #require(MediaType(range))) == isMatch)
  }

  /// The work is linear: the test counts the parser's steps and measures no time.
  @Test(arguments: [
    ";", ",", "\"", "\\", "a/b,", "a/b;", "a=\"", "\",", "/", " ", "\t", "a/b;c=\"d\\\"", "@", "%", "{",
  ])
  func `parsing looks at each byte a fixed number of times`(unit: String) {
    for length in [16 << 10, 64 << 10] {
      for start in ["", "a/b", "a/b;c=\""] {
        let field = start + String(repeating: unit, count: length / unit.utf8.count)
        var single = MediaTypeParser(field)
        _ = single.parseOnly()
        #expect(single.steps <= 4 * field.utf8.count + 16)
        var list = MediaTypeParser(field)
        _ = list.parseList()
        #expect(list.steps <= 8 * field.utf8.count + 16)
      }
    }
  }
}
