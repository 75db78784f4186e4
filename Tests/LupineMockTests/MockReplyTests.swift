import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

@Suite struct MockReplyTests {
  private struct Unencodable: Encodable, Sendable {
    struct Oops: Error {}
    func encode(to encoder: any Encoder) throws { throw Oops() }
  }

  private func response(
    _ reply: MockReply, method: HTTPRequest.Method = .get
  ) async throws -> (head: HTTPResponse, text: String, end: BodyEnd) {
    let mock = MockTransport()
    mock.stub([method], "/", reply)
    return try await Exchange(method: method).response(from: mock)
  }

  @Test(
    arguments: [
      (MockReply.text("hi"), 200, "text/plain; charset=utf-8", "2", "hi"),
      (.data(Data("x".utf8), contentType: "image/png", status: .accepted), 202, "image/png", "1", "x"),
      (.data(Data(), contentType: nil), 200, nil, "0", ""),
      (.json(["b": 1, "a": 2], status: .created), 201, "application/json", "13", #"{"a":2,"b":1}"#),
      (.status(.notFound), 404, nil, "0", ""),
      (.empty, 204, nil, nil, ""),
      (.status(.notModified), 304, nil, nil, ""),
      (.body(.text("any"), contentType: nil), 200, nil, "3", "any"),
      (.text("").chunked(["a", "b", "c"]), 200, "text/plain; charset=utf-8", nil, "abc"),
    ] as [(MockReply, Int, String?, String?, String)])
  func `a reply has its status, its media type, its length and its body`(
    reply: MockReply, status: Int, type: String?, length: String?, text: String
  ) async throws {
    let response = try await response(reply)
    #expect(response.head.status.code == status)
    #expect(response.head.headerFields[.contentType] == type)
    #expect(response.head.headerFields[.contentLength] == length)
    #expect(response.text == text)
  }

  @Test func `a reply's status is changed and its content stays`() async throws {
    let (head, text, _) = try await response(.json(["error": "none"]).status(.notFound))
    #expect(head.status == .notFound)
    #expect(head.headerFields[.contentType] == "application/json")
    #expect(text == #"{"error":"none"}"#)
  }

  @Test func `HEAD has the fields of GET and no body`() async throws {
    let (head, text, end) = try await response(.text("hello"), method: .head)
    #expect(head.headerFields[.contentLength] == "5")
    #expect(text == "")
    #expect(end.metrics.bytesReceived == 0)
  }

  @Test func `a redirect and a challenge have their fields`() async throws {
    #expect(try await response(.redirect(to: "/b")).head.headerFields[.location] == "/b")
    #expect(try await response(.redirect(to: "/b", status: .permanentRedirect)).head.status.code == 308)
    let challenge = try await response(.challenge(#"Basic realm="staff""#)).head
    #expect(challenge.status == .unauthorized)
    #expect(challenge.headerFields[.wwwAuthenticate] == #"Basic realm="staff""#)
  }

  @Test func `fields are added in order`() async throws {
    let reply = MockReply.text("").field(.setCookie, "a=1").fields([.setCookie: "b=2"]).field(.contentType, "text/html")
    let head = try await response(reply).head
    #expect(head.headerFields[values: .setCookie] == ["a=1", "b=2"])
    #expect(head.headerFields[values: .contentType] == ["text/html"])
  }

  @Test func `trailers and interim responses arrive`() async throws {
    let mock = MockTransport()
    let trailer = try #require(HTTPField.Name("X-Checksum"))
    let hints = HTTPResponse(status: .init(code: 103), headerFields: [.init("Link")!: "</a.css>"])
    mock.stub(.get, "/", .text("body").trailers([trailer: "1"]).informational([hints]))
    let exchange = Exchange()
    let end = try await exchange.response(from: mock).end
    #expect(end.trailers?[trailer] == "1")
    guard case .informational(let seen)? = exchange.events.all.last else {
      Issue.record("no interim response was reported")
      return
    }
    #expect(seen == hints)
  }

  @Test func `interim responses arrive before a reset that leaves no head`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", MockReply.reset.informational([HTTPResponse(status: .init(code: 103))]))
    let exchange = Exchange()
    await #expect(throws: LupineError.self) { try await exchange.response(from: mock) }
    #expect(exchange.events.all.contains { if case .informational = $0 { true } else { false } })
  }

  @Test func `a file is delivered with its media type`() async throws {
    let path = "\(FileManager.default.temporaryDirectory.path)/lupine-\(UUID().uuidString).json"
    let bytes = Data(repeating: 0x20, count: 200_000)
    try bytes.write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (head, _, end) = try await response(.file(path))
    #expect(head.headerFields[.contentType] == "application/json")
    #expect(head.headerFields[.contentLength] == "200000")
    #expect(end.data == bytes)
  }

  @Test func `a fixture is found above the test's own file`() async throws {
    let (head, text, _) = try await response(.fixture("README.md", contentType: "text/markdown"))
    #expect(head.headerFields[.contentType] == "text/markdown")
    #expect(text.hasPrefix("# Fixtures"))
  }

  @Test(arguments: [
    (MockReply.text("abc").field(.contentLength, "3").field(.contentLength, "4"), "2 Content-Length fields"),
    (.text("abc").field(.contentLength, "4"), "says 4 bytes, but its body has 3"),
    (.text("abc").field(.contentLength, "three"), "no number of bytes"),
    (.text("abc").field(.contentLength, "3").chunked(["abc"]), "chunked and has a Content-Length"),
    (.text("abc", status: .noContent), "status 204 has no body"),
    (.text("abc", status: .notModified), "status 304 has no body"),
    (.status(.continue), "interim"),
    (.text("").informational([HTTPResponse(status: .ok)]), "not between 100 and 199"),
    (.sequence([]), "sequence of replies is empty"),
    (.json(Unencodable()), "does not encode as JSON"),
    (.file("/nowhere/at-all.json"), "/nowhere/at-all.json"),
  ]) func `a reply that contradicts itself is an error at the stub's line`(reply: MockReply, reason: String)
    async throws
  {
    let mock = MockTransport()
    let line: UInt = #line + 1
    mock.stub(.get, "/", reply)
    let failure = try #require(await Exchange().failure(from: mock))
    #expect(failure.kind == .invalidStub)
    #expect(failure.message.contains("LupineMockTests/MockReplyTests.swift:\(line)"))
    #expect(failure.message.contains(reason))
    let verdict = #expect(throws: LupineError.self) { try mock.verify() }
    #expect(verdict?.message.contains(reason) == true)
  }

  @Test func `a contradiction in a closure's reply is found as well`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/") { _ in .text("abc").field(.contentLength, "9") }
    #expect(await Exchange().failure(from: mock)?.kind == .invalidStub)
  }
}
