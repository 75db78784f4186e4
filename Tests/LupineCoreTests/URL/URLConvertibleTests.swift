import FoundationEssentials
import LupineCore
import Testing

@Suite struct URLConvertibleTests {
  @Test func `a relative string needs a base`() throws {
    let base = try HTTPURL("https://h/v1")
    #expect(try "a".asURL(relativeTo: base).string == "https://h/v1/a")
    for text in ["a", "", "/a", "//h/", "?q"] {
      let error = #expect(throws: LupineError.self) { try text.asURL() }
      #expect(error?.message.contains("no base URL is set") == true)
    }
  }

  @Test func `an absolute string needs none`() throws {
    #expect(try "http://o/".asURL().string == "http://o/")
    let error = #expect(throws: LupineError.self) { try "ftp://o/".asURL() }
    #expect(error?.message.contains("“ftp”") == true)
  }

  @Test func `an HTTPURL is itself`() throws {
    let url = try HTTPURL("http://o/")
    #expect(try url.asURL(relativeTo: HTTPURL("https://h/v1")) == url)
  }

  @Test func `a Foundation URL passes the same checks`() throws {
    let base = try HTTPURL("https://h/v1")
    #expect(try #require(URL(string: "http://o/a?b")).asURL().string == "http://o/a?b")
    #expect(try #require(URL(string: "users/42")).asURL(relativeTo: base).string == "https://h/v1/users/42")
    let port = try #require(URL(string: "http://o:99999/"))
    #expect(throws: LupineError.self) { try port.asURL() }
  }

  @Test func `URL components pass the same checks`() throws {
    var components = URLComponents()
    components.scheme = "https"
    components.host = "o"
    components.path = "/a b"
    #expect(try components.asURL().string == "https://o/a%20b")
    components.user = "u"
    let withUser = components
    #expect(throws: LupineError.self) { try withUser.asURL() }
  }
}
