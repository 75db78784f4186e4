import FoundationEssentials
import LupineCore
import LupineMock
import LupineSession
import LupineTransfers
import Testing

@Suite struct PathTemplateTests {
  private static let base = "https://example.com/v1"
  private static let hostile = [
    "a/b": "a%2Fb", "/": "%2F", "//evil.example": "%2F%2Fevil.example", "a?b": "a%3Fb", "a#b": "a%23b", "a%b": "a%25b",
    "%2e%2e": "%252e%252e", "%2F": "%252F", "../x": "..%2Fx", "...": "...", "a b": "a%20b", "a\\b": "a%5Cb",
    "a\r\nb": "a%0D%0Ab", "\0": "%00", "ü": "%C3%BC", "a;b=c": "a%3Bb%3Dc",
    "https://evil.example": "https%3A%2F%2Fevil.example",
    "user@evil": "user%40evil", "~a-b_c.d": "~a-b_c.d", "{x}": "%7Bx%7D",
  ]

  private func url(_ template: String, _ values: PathTemplate.Values) throws -> String {
    try PathTemplate(template, values).asURL(relativeTo: HTTPURL(Self.base)).string
  }

  @Test func `values replace their placeholders`() throws {
    #expect(
      try url("repos/{owner}/{name}", ["owner": "ada", "name": "lupine"]) == Self.base + "/repos/ada/lupine")
    #expect(try url("users/{id}/v{id}.json?x=1#f", ["id": 42]) == Self.base + "/users/42/v42.json?x=1#f")
    #expect(try url("https://b.example.com/{a}", ["a": true]) == "https://b.example.com/true")
    #expect(try url("plain", [:]) == Self.base + "/plain")
  }

  private enum Kind: String, PathValue { case news }

  private struct UserID: PathValue {
    var number: Int
    var pathText: String { "u/\(number)" }
  }

  @Test func `identifiers and types of a program are values`() throws {
    let id = UUID()
    #expect(try url("{id}", ["id": id]) == Self.base + "/\(id.uuidString)")
    #expect(try url("{a}/{b}", ["a": Kind.news, "b": UserID(number: 7)]) == Self.base + "/news/u%2F7")
    #expect(try url("{a}/{b}", ["a": "xy".dropFirst(), "b": UInt8(1)]) == Self.base + "/y/1")
    #expect(try HTTPURL(Self.base).appending(segments: "a", id).string == Self.base + "/a/\(id.uuidString)")
  }

  @Test(arguments: hostile) func `a value never changes the shape of the path`(value: String, escaped: String) throws {
    #expect(try url("a/{x}/b", ["x": value]) == Self.base + "/a/\(escaped)/b")
    #expect(try url("{x}", ["x": value]) == Self.base + "/\(escaped)")
    #expect(try HTTPURL(Self.base).appending(segments: "a", value).string == Self.base + "/a/\(escaped)")
  }

  @Test(arguments: ["", ".", ".."]) func `an empty value and dot segments are refused`(value: String) throws {
    for template in ["a/{x}/b", "{x}", "a/{x}", "https://example.com/{x}"] {
      let error = #expect(throws: LupineError.self) { try url(template, ["x": value]) }
      #expect(error?.kind == .invalidURL)
    }
    #expect(throws: LupineError.self) { try HTTPURL(Self.base).appending(segments: "a", value) }
  }

  @Test(arguments: ["{x}{x}", ".{x}", "{x}%2e", "%2E{x}"])
  func `a segment that becomes dots is refused`(template: String) throws {
    #expect(throws: LupineError.self) { try url("a/" + template, ["x": "."]) }
  }

  @Test func `a dot within a segment stays`() throws {
    #expect(try url("v{x}1", ["x": "."]) == Self.base + "/v.1")
  }

  @Test func `a missing value and an unused one are errors that name them`() throws {
    let missing = #expect(throws: LupineError.self) { try url("repos/{owner}/{name}", ["owner": "ada"]) }
    #expect(missing?.message.contains("placeholder {name}") == true)
    let unused = #expect(throws: LupineError.self) { try url("repos/{owner}", ["owner": "ada", "nmae": "secret"]) }
    #expect(unused?.message.contains("placeholder {nmae}") == true)
    #expect(unused?.message.contains("secret") == false)
    #expect(unused?.kind == .invalidURL)
  }

  @Test(arguments: [
    "https://{x}/a", "https://example.com:{x}/", "{x}://example.com/", "//{x}/a", "a?b={x}", "a#{x}", "https://{x}",
    "{x", "x}", "a/{x/b}", "{{x}}", "}{x",
  ])
  func `a placeholder outside the path or a stray brace is refused`(template: String) throws {
    let error = #expect(throws: LupineError.self) { try url(template, ["x": "1"]) }
    #expect(error?.kind == .invalidURL)
  }

  @Test func `a request takes a template and the values of its path`() async throws {
    let mock = MockTransport()
    mock.stub([.get, .post], "/{any...}", .text("found"))
    let session = try Session.Builder().transport(mock).baseURL(Self.base).build()
    let (owner, name) = ("a/b", "c?d")
    _ = try await session.request("repos/{owner}/{name}", path: ["owner": owner, "name": name]).serializingData().value
    _ = try await session.request("users/{id}", path: ["id": 42], method: .post, parameters: ["a": "b"])
      .serializingData().value
    _ = try await session.upload(.text("x"), to: .template("users/{id}", ["id": 43])).serializingData().value
    #expect(
      mock.requests.map(\.url.requestTarget) == ["/v1/repos/a%2Fb/c%3Fd", "/v1/users/42", "/v1/users/43"])
    let error = await session.request("users/{id}", path: ["id": ".."]).serializingData().response.error
    #expect(error?.kind == .invalidURL)
    #expect(mock.requests.count == 3)
  }

  @Test func `segments are appended below the base`() throws {
    let base = try HTTPURL("https://example.com/v1/")
    #expect(try base.appending(segments: "a", 7).string == "https://example.com/v1/a/7")
    #expect(try base.appending(segments: [String]()).string == base.string)
    let error = #expect(throws: LupineError.self) { try base.appending(segments: "a", "", "b") }
    #expect(error?.message.hasPrefix("Segment 2 of 3 is empty") == true)
    #expect(throws: LupineError.self) { try HTTPURL("https://example.com/?q=1").appending(segments: "a") }
  }
}
