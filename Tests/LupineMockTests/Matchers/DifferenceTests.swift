import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Testing

/// The number of differences that a report has, and the secrets that it omits.
@Suite struct DifferenceTests {
  private func difference(_ condition: RequestCondition, _ body: String) throws -> String? {
    let url = try HTTPURL("https://example.com/")
    return condition.difference(from: RequestSnapshot(method: .post, url: url, body: Data(body.utf8)))
  }

  @Test func `every member that differs is reported`() throws {
    let condition = RequestCondition.body(json: ["a": 1, "b": ["c": [1, 2]], "d": 4])
    #expect(
      try difference(condition, #"{"a":2,"b":{"c":[1,3,3]},"e":5}"#) == """
        body $.a: expected 1, got 2
        body $.b.c[1]: expected 2, got 3
        body $.b.c: expected 2 elements, got 3
        body $.d: expected 4, got no such value
        body $.e: expected no such value, got 5
        """)
  }

  @Test func `ten of many differing members are reported`() throws {
    let many = RequestCondition.body(json: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    let lines = try difference(many, "[1,1,1,1,1,1,1,1,1,1,1,1]")?.split(separator: "\n")
    #expect(lines?.count == 11)
    #expect(lines?.last == "… and more that differs")
  }

  @Test func `every item of a form that differs is reported`() throws {
    #expect(
      try difference(.body(form: ["a": "1", "b": "2"]), "a=2&x=1") == """
        body form a: expected 1, got 2
        body form b: expected 2, got no such item
        body form x: expected no such item, got x=1
        """)
  }

  @Test func `a difference deep in a text is shown at its place`() throws {
    let text = String(repeating: "a", count: 300)
    let told = try #require(try difference(.body(text + "c"), text + "b"))
    #expect(told.hasPrefix("body from byte 301 on: expected \"…aaa"))
    #expect(told.contains("aac\" (301 bytes), got \"…aaa"))
  }

  @Test func `a difference deep in a member is shown at its place`() throws {
    let text = String(repeating: "a", count: 300)
    let told = try #require(try difference(.body(json: .string(text + "c")), "\"\(text)b\""))
    #expect(told.hasPrefix("body $ from byte 302 on: expected "))
    #expect(told.contains("aac"))
    #expect(told.contains("aab"))
  }

  @Test func `bytes that differ are placed`() throws {
    let told = try difference(.body(Data([0, 2])), "\u{0}\u{1}")
    #expect(told == "body: expected 2 bytes, got 2 bytes, which differ from byte 2 on")
  }

  @Test func `a field that the session marks as secret is not shown`() async throws {
    let name = try #require(HTTPField.Name("X-Token"))
    let mock = MockTransport()
    mock.stub(.get, "/", where: [.field(name, "31d4d96e")], .text("a"))
    let session = try Session.Builder().transport(mock).secretField(name).build()
    let response = await session.request("https://example.com/", headers: [.init(name): "407aad42"]).serializingData()
      .response
    let error = try #require(response.error)
    #expect(error.kind == .unmatchedRequest)
    #expect(error.message.contains("field X-Token: expected a secret value"))
    #expect(!error.message.contains("31d4d96e") && !error.message.contains("407aad42"))
  }

  @Test(arguments: [
    ("https://example.com/a?api_key=31d4d96e&page=2", []),
    ("https://example.com/a", [RequestCondition.query("api_key", "31d4d96e")]),
    ("/a", [.query(exactly: ["user[password]": "31d4d96e"])]), ("/a", [.body(form: ["client_secret": "31d4d96e"])]),
  ])
  func `a parameter with the name of a secret is not shown`(
    url: String, conditions: [RequestCondition]
  ) async throws {
    let mock = MockTransport()
    mock.stub(.post, url, where: conditions, .text("a"))
    let session = try Session.Builder().transport(mock).build()
    let request = try OutgoingRequest(
      "https://example.com/a?api_key=407aad42&page=3", method: .post, body: .text("client_secret=407aad42"))
    let error = try #require(await session.request(request).serializingData().response.error)
    let verdict = try #require(throws: LupineError.self) { try mock.verify() }
    #expect(error.kind == .unmatchedRequest)
    for text in [error.message, verdict.message, "\(mock.requests)"] {
      #expect(!text.contains("31d4d96e") && !text.contains("407aad42"))
      #expect(text.contains("page=3"))
    }
    // The suggested stub matches any value of the secret parameter.
    #expect(error.message.contains(#"mock.stub(.post, "https://example.com/a?api_key={secret}&page=3""#))
  }

  @Test func `each difference stands on a line of its own in the report`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", where: [.body(json: ["a": 1, "b": 2])], .text("a"))
    let message = await Exchange(method: .post, body: .text("{}")).failure(from: mock)?.message
    #expect(message?.contains("\n     body $.a: expected 1, got no such value\n     body $.b: expected 2") == true)
  }
}
