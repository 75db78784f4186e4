import LupineCore
import Testing

@Suite struct HTTPURLChangesTests {
  @Test func `the query is replaced, emptied and removed`() throws {
    let url = try HTTPURL("http://h/a?b#c")
    #expect(try url.with(query: "x=y z").string == "http://h/a?x=y%20z#c")
    #expect(try url.with(query: "").string == "http://h/a?#c")
    #expect(try url.with(query: nil).string == "http://h/a#c")
  }

  @Test func `the path is replaced`() throws {
    #expect(try HTTPURL("http://h/a?b#c").with(path: "/x/../ü").string == "http://h/%C3%BC?b#c")
  }

  @Test(arguments: ["", "x", "/a?b", "/a#b", "/a\\b", "/%", "/a\nb"])
  func `an invalid path is refused`(path: String) throws {
    let url = try HTTPURL("http://h/")
    #expect(throws: LupineError.self) { try url.with(path: path) }
  }

  @Test(arguments: ["a#b", "a\\b", "%", "a\rb"])
  func `an invalid query is refused`(query: String) throws {
    let url = try HTTPURL("http://h/")
    #expect(throws: LupineError.self) { try url.with(query: query) }
  }

  @Test(arguments: [
    ("http://h/", "http://h/?x=1"), ("http://h/?", "http://h/?x=1"), ("http://h/?a", "http://h/?a&x=1"),
    ("http://h/?a#f", "http://h/?a&x=1#f"),
  ])
  func `query items are added to the existing ones`(url: String, result: String) throws {
    #expect(try HTTPURL(url).appending(queryItems: "x=1").string == result)
  }

  @Test func `no query items change nothing`() throws {
    #expect(try HTTPURL("http://h/").appending(queryItems: "").string == "http://h/")
  }
}
