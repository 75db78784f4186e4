import LupineCore
import Testing

@Suite struct HTTPURLReferenceTests {
  @Test(arguments: [
    ("users/42", "https://h/v1/users/42"), ("/users/42", "https://h/v1/users/42"), ("/", "https://h/v1/"),
    ("", "https://h/v1"), ("?a=b", "https://h/v1?a=b"), ("#f", "https://h/v1#f"),
    ("users?x=/../y", "https://h/v1/users?x=/../y"),
    ("a/../b", "https://h/v1/b"), ("./a", "https://h/v1/a"), ("a/..", "https://h/v1/"), ("a/b:c", "https://h/v1/a/b:c"),
    ("./b:c", "https://h/v1/b:c"), ("/b:c", "https://h/v1/b:c"), ("a?b:c", "https://h/v1/a?b:c"),
    (".//x", "https://h/v1//x"),
    ("HTTP://other/x", "http://other/x"), ("a b", "https://h/v1/a%20b"),
  ])
  func `a reference is appended to the base`(reference: String, result: String) throws {
    #expect(try HTTPURL("https://h/v1").appending(reference: reference).string == result)
  }

  @Test func `a base that ends in a slash gets no second one`() throws {
    #expect(try HTTPURL("https://h/v1/").appending(reference: "/a").string == "https://h/v1/a")
    #expect(try HTTPURL("https://h").appending(reference: "a").string == "https://h/a")
  }

  @Test(arguments: [
    "..", "../x", "/..", "a/../../b", "./..", "%2e%2e/x", ".%2E/x", "../v1/x", "a/../..?x", "//host", "///x",
    "//host/v1",
    "file:x", "javascript:alert(1)", "users:42", "1:2", ":x", "ftp://h/", "http:x", "http://u:p@h/", "\\\\host", "a\\b",
    "/\\host", " a", "a ", "a\nb", "%", "\t//host",
  ])
  func `a reference that leaves the base is refused`(reference: String) throws {
    let base = try HTTPURL("https://h/v1")
    let error = #expect(throws: LupineError.self) { try base.appending(reference: reference) }
    #expect(error?.kind == .invalidURL)
  }

  @Test(arguments: ["https://h/v1?key=1", "https://h/v1#f", "https://h/v1?"])
  func `a base with a query or fragment takes absolute URLs only`(base: String) throws {
    let base = try HTTPURL(base)
    #expect(throws: LupineError.self) { try base.appending(reference: "a") }
    #expect(throws: LupineError.self) { try base.appending(reference: "") }
    #expect(try base.appending(reference: "http://o/").string == "http://o/")
  }
}
