import LupineCore
import Testing

@Suite struct HTTPURLLocationTests {
  // The examples of RFC 3986 section 5.4 whose result is an HTTP URL.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g/"),
    ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
    ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("https://o:1/x", "https://o:1/x"),
  ])
  func `a location is resolved by RFC 3986`(location: String, result: String) throws {
    #expect(try HTTPURL("http://a/b/c/d;p?q").resolving(location: location).string == result)
  }

  @Test func `the fragment is inherited unless the location has one`() throws {
    let url = try HTTPURL("http://a/b#old")
    #expect(try url.resolving(location: "/c").string == "http://a/c#old")
    #expect(try url.resolving(location: "http://o/").string == "http://o/#old")
    #expect(try url.resolving(location: "/c#new").string == "http://a/c#new")
    #expect(try url.resolving(location: "/c#").string == "http://a/c#")
  }

  @Test(arguments: [
    ("http://u:p@o/x", "http://o/x"), ("//u@o", "https://o/"), ("https://a@b#@c/", "https://b/#@c/"),
    ("http://u:p@o:81/", "http://o:81/"),
  ])
  func `user information is dropped`(location: String, result: String) throws {
    #expect(try HTTPURL("https://a/").resolving(location: location).string == result)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://o/", "javascript:x", "data:,x", "gopher://o/"])
  func `another scheme is refused by name`(location: String) throws {
    let url = try HTTPURL("https://a/")
    let error = #expect(throws: LupineError.self) { try url.resolving(location: location) }
    #expect(error?.message.contains("“\(location.prefix { $0 != ":" })”") == true)
  }

  @Test(arguments: [
    "http://a@b@c/", "http://good\\@evil/", "http://[::1]@evil/", "http://u p@o/", "/\\evil", "http://o:0/", "http:x",
    "http:///x", "/a\nb", "\u{0}", " /x", "http://u\r@o/", "http://u@/",
  ])
  func `a location that parsers read differently is refused`(location: String) throws {
    let url = try HTTPURL("https://a/")
    #expect(throws: LupineError.self) { try url.resolving(location: location) }
  }
}
