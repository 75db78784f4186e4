#if DEBUG
  import Testing

  @testable import LupineCore

  /// The number of bytes that the parser reads; release builds do not count them.
  @Suite struct URLParserStepsTests {
    @Test(arguments: ["http://*", "http://h/*", "http://h/?*", "http://h/#*"])
    func `delimiters take a linear number of steps`(place: String) {
      for unit in ["@", ";", ",", "%", "{", "/.", "/..", "/a/..", "%2e/", ":", "[", "#", "?", "."] {
        for length in [1 << 12, 1 << 15] { Self.check(unit, in: place, length) }
      }
    }

    @Test(arguments: ["@", ";", ",", "\t", "%", "{", "/a/.."])
    func `a megabyte of delimiters takes a linear number of steps`(unit: String) {
      Self.check(unit, in: unit == "@" ? "http://*" : "http://h/*", 1 << 20)
    }

    private static func check(_ unit: String, in place: String, _ length: Int) {
      let text = place.replacing("*", with: String(repeating: unit, count: length / unit.utf8.count))
      var parser = URLParser(maximumLength: 8 << 20, dropsUserinfo: true)
      _ = try? parser.url(text)
      #expect(parser.steps > 0)
      #expect(parser.steps <= 5 * text.utf8.count, "\(unit) in \(place)")
    }

    @Test func `climbing out of many segments takes a linear number of steps`() throws {
      let path = String(repeating: "/a", count: 50_000) + String(repeating: "/..", count: 50_000)
      var parser = URLParser(maximumLength: 8 << 20)
      #expect(try parser.url("http://h" + path).path == "/")
      #expect(parser.steps <= 5 * path.utf8.count)
    }

    @Test func `a normal URL is looked at once`() throws {
      let text = "https://api.example.com:8443/v1/users/42?fields=name&page=2"
      var parser = URLParser(maximumLength: HTTPURL.maximumLength)
      #expect(try parser.url(text).string == text)
      #expect(parser.steps <= 2 * text.utf8.count)
    }
  }
#endif
