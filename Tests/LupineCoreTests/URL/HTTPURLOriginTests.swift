import LupineCore
import Testing

@Suite struct HTTPURLOriginTests {
  @Test(arguments: ["http://H", "http://h:80/x?y#z", "HTTP://h:/"])
  func `spelling, path and query do not change the origin`(url: String) throws {
    #expect(try HTTPURL(url).origin == HTTPURL("http://h/").origin)
    #expect(try HTTPURL(url).hasSameOrigin(as: HTTPURL("http://h/")))
  }

  @Test(arguments: ["https://h/", "http://h:81/", "http://h./", "http://a.h/", "https://h:80/"])
  func `another scheme, host, trailing dot or port is another origin`(url: String) throws {
    #expect(try HTTPURL(url).origin != HTTPURL("http://h/").origin)
    #expect(try !HTTPURL(url).hasSameOrigin(as: HTTPURL("http://h/")))
  }

  @Test(arguments: [
    ("http://h:80/x", "http://h"), ("https://h:80/", "https://h:80"), ("http://[::1]:81/", "http://[::1]:81"),
  ])
  func `the description is the Origin field's form`(url: String, text: String) throws {
    #expect(try HTTPURL(url).origin.description == text)
  }

  @Test(arguments: [
    ("http://localhost/", true), ("http://a.localhost:81/", true), ("http://127.9.0.1/", true),
    ("http://[0::1]/", true), ("http://localhost./", true), ("http://a.localhost./", true),
    ("http://localhost.example.com/", false), ("http://notlocalhost/", false), ("http://127.0.0.1.example.com/", false),
    ("http://126.0.0.1/", false), ("http://[::2]/", false), ("http://[::ffff:127.0.0.1]/", false),
  ])
  func `this machine is known by the names and addresses that always are its`(url: String, isLoopback: Bool) throws {
    #expect(try HTTPURL(url).isLoopback == isLoopback)
  }
}
