import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import Testing

/// What is wrong with a stub is a named error of the requests that meet it, and of `verify()`, at the stub's own line.
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
    try await expectFault("a { stands without its }", at: #line - 1, of: mock)
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

  @Test func `two lengths that are asked for as a fault are none of the stub's`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("abc").fault(.doubledLength))
    #expect(await Exchange().failure(from: mock)?.kind == .malformedResponse)
    try mock.verify()
  }
}

/// A body that is not what its reply promises.
@Suite struct BadBodyTests {
  private struct Oops: Error {}

  private func expectFault(_ reason: String, of reply: MockReply, line: UInt = #line) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", reply, line: line)
    let failure = try #require(await Exchange().failure(from: mock))
    #expect(failure.kind == .invalidStub)
    #expect(failure.message.contains("LupineMockTests/BadInputTests.swift:\(line)"))
    #expect(failure.message.contains(reason))
    let verdict = try #require(throws: LupineError.self) { try mock.verify() }
    #expect(verdict.message.contains(failure.message))
  }

  private static func stream(_ text: String, _ error: (any Error)? = nil) -> Body {
    .oneShot(
      AsyncThrowingStream { continuation in
        continuation.yield(Array(text.utf8))
        continuation.finish(throwing: error)
      })
  }

  @Test func `a stream that throws in mid-body`() async throws {
    try await expectFault("its body failed. The stream", of: .body(Self.stream("abc", Oops())))
  }

  @Test func `a stream that names a kind`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .body(Self.stream("abc", LupineError(.connectionLost, "On purpose."))))
    #expect(await Exchange().failure(from: mock)?.kind == .connectionLost)
    try mock.verify()
  }

  @Test(arguments: [(2, "more"), (4, "3")])
  func `a stream of another length than its reply tells`(length: Int, found: String) async throws {
    let reply = MockReply.body(Self.stream("abc")).field(.contentLength, "\(length)")
    try await expectFault("says \(length) bytes, but its body has \(found)", of: reply)
  }

  @Test func `a file of another length than its reply tells`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("abc", to: "a")
    try await expectFault("says 4 bytes, but its body has 3", of: .file(file).field(.contentLength, "4"))
  }

  @Test func `a stream of the length that its reply tells`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .body(Self.stream("abc")).field(.contentLength, "3"))
    #expect(try await mock.get("https://example.com/") == "abc")
    try mock.verify()
  }

  @Test(arguments: [
    (MockReply.text("abc").field(.transferEncoding, "chunked"), "beside the Content-Length that is added"),
    (.text("abc").field(.transferEncoding, "gzip").field(.contentLength, "3"), "one or the other"),
    (.text("").chunked(["abc"]).field(.transferEncoding, "chunked").field(.contentLength, "3"), "one or the other"),
  ]) func `a length beside a transfer coding`(reply: MockReply, reason: String) async throws {
    try await expectFault(reason, of: reply)
  }

  @Test func `chunks may say that they are chunks`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("").chunked(["a", "b"]).field(.transferEncoding, "chunked"))
    #expect(try await mock.get("https://example.com/") == "ab")
  }
}
