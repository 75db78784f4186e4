import FoundationEssentials
import HTTPTypes
import LupineCoding
import LupineCore
import LupineMock
import Testing

/// Invalid stubs: the matching requests and `verify()` fail with an error that has the reason and the stub's line.
@Suite struct BadInputTests {
  private struct Oops: Error {}

  private func expectFault(
    _ reason: String, at line: UInt, of mock: MockTransport, _ exchange: Exchange = Exchange()
  ) async throws {
    let failure = try #require(await exchange.failure(from: mock))
    #expect(failure.kind == .invalidStub)
    #expect(failure.message.contains("LupineMockTests/BadInputTests.swift:\(line)"))
    #expect(failure.message.contains(reason))
    let verdict = try #require(throws: LupineError.self) { try mock.verify() }
    #expect(verdict.kind == .invalidStub)
    #expect(verdict.message.contains(failure.message))
  }

  @Test func `a stub that throws`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/") { _ in throw Oops() }
    try await expectFault("its closure threw Oops()", at: #line - 1, of: mock)
  }

  @Test func `a stub that throws in its own time`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/") { _ async throws in
      await Task.yield()
      throw Oops()
    }
    try await expectFault("its closure threw Oops()", at: #line - 4, of: mock)
  }

  @Test func `a fixture that is missing`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .fixture("no-such-file.json"))
    try await expectFault("there is no \"no-such-file.json\" in a folder Fixtures", at: #line - 1, of: mock)
  }

  @Test func `a file that is missing`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .file("/nowhere/at-all.json"))
    try await expectFault("its body cannot be opened", at: #line - 1, of: mock)
  }

  @Test func `a template that cannot be parsed`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/users/{id", .empty)
    try await expectFault("a { has no } after it", at: #line - 1, of: mock)
  }

  @Test(arguments: ["tags[", "tags[0", "tags[x]", "tags[-1]", "tags[0]b", "tags]", "a..b", "a.", "$.", "a.[0]"])
  func `a JSON path that cannot be read`(path: String) async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", where: [.body(jsonPath: path, 1)], .empty)
    let exchange = Exchange(method: .post, body: .text("{}"))
    try await expectFault("the JSON path \"\(path)\" cannot be read", at: #line - 2, of: mock, exchange)
  }

  @Test func `a body that is read twice`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .body(.oneShot(AsyncStream { $0.finish() })))
    let line: UInt = #line - 1
    #expect(try await mock.get("https://example.com/") == "200")
    try await expectFault("its body cannot be opened", at: line, of: mock)
  }

  @Test func `a reply with two lengths`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("abc").field(.contentLength, "3").field(.contentLength, "4"))
    try await expectFault("2 Content-Length fields", at: #line - 1, of: mock)
  }

  @Test func `a reply with two lengths that a closure makes`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/") { _ in .text("abc").field(.contentLength, "4") }
    try await expectFault("says 4 bytes, but its body has 3", at: #line - 1, of: mock)
  }

  @Test func `two lengths of a fault are no mistake of the stub`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("abc").fault(.doubledLength))
    #expect(await Exchange().failure(from: mock)?.kind == .malformedResponse)
    try mock.verify()
  }
}
