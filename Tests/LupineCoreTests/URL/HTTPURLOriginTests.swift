import LupineCore
import Testing

@Suite struct HTTPURLOriginTests {
  @Test(arguments: ["http://H", "http://h:80/x?y#z", "HTTP://h:/"])
  func `spelling, path and query do not change the origin`(url: String) throws {
    #expect(try HTTPURL(url).origin == HTTPURL("http://h/").origin)
  }

  @Test(arguments: ["https://h/", "http://h:81/", "http://h./", "http://a.h/", "https://h:80/"])
  func `another scheme, host, trailing dot or port is another origin`(url: String) throws {
    #expect(try HTTPURL(url).origin != HTTPURL("http://h/").origin)
  }

  @Test(arguments: [
    ("http://h:80/x", "http://h"), ("https://h:80/", "https://h:80"), ("http://[::1]:81/", "http://[::1]:81"),
  ])
  func `the description is the Origin field's form`(url: String, text: String) throws {
    #expect(try HTTPURL(url).origin.description == text)
  }
}
