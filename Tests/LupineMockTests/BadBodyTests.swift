import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import Testing

/// Bodies that fail, or contradict the head of their reply.
@Suite struct BadBodyTests {
  private struct Oops: Error {}

  private func expectFault(_ reason: String, of reply: MockReply, line: UInt = #line) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", reply, line: line)
    let failure = try #require(await Exchange().failure(from: mock))
    #expect(failure.kind == .invalidStub)
    #expect(failure.message.contains("LupineMockTests/BadBodyTests.swift:\(line)"))
    #expect(failure.message.contains(reason))
    let verdict = try #require(throws: LupineError.self) { try mock.verify() }
    #expect(verdict.message.contains(failure.message))
  }

  private static func stream(_ text: String, _ error: (any Error)? = nil) -> RequestBody {
    .oneShot(
      AsyncThrowingStream { continuation in
        continuation.yield(Array(text.utf8))
        continuation.finish(throwing: error)
      })
  }

  @Test func `a stream that throws in mid-body`() async throws {
    try await expectFault("its body failed. The stream", of: .body(Self.stream("abc", Oops())))
  }

  @Test func `a response to HEAD may have Transfer-Encoding chunked`() async throws {
    let mock = MockTransport()
    mock.stub(.head, "/", .status(.ok).field(.transferEncoding, "chunked"))
    let head = try await Exchange(method: .head).response(from: mock).head
    #expect(head.headerFields[.transferEncoding] == "chunked")
    #expect(head.headerFields[.contentLength] == nil)
  }

  @Test func `a stream that names a kind`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .body(Self.stream("abc", LupineError(.connectionLost, "On purpose."))))
    #expect(await Exchange().failure(from: mock)?.kind == .connectionLost)
    try mock.verify()
  }

  @Test(arguments: [(2, "more"), (4, "3")])
  func `a stream whose length differs from its reply's Content-Length`(length: Int, found: String) async throws {
    let reply = MockReply.body(Self.stream("abc")).field(.contentLength, "\(length)")
    try await expectFault("says \(length) bytes, but its body has \(found)", of: reply)
  }

  @Test func `a file whose length differs from its reply's Content-Length`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("abc", to: "a")
    try await expectFault("says 4 bytes, but its body has 3", of: .file(file).field(.contentLength, "4"))
  }

  @Test func `a stream whose length equals its reply's Content-Length`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .body(Self.stream("abc")).field(.contentLength, "3"))
    #expect(try await mock.get("https://example.com/") == "abc")
    try mock.verify()
  }

  @Test(arguments: [
    (MockReply.text("abc").field(.transferEncoding, "chunked"), "contradicts the Content-Length that is added"),
    (.text("abc").field(.transferEncoding, "gzip").field(.contentLength, "3"), "one or the other"),
    (.text("").chunked(["abc"]).field(.transferEncoding, "chunked").field(.contentLength, "3"), "one or the other"),
  ]) func `a length beside a transfer coding`(reply: MockReply, reason: String) async throws {
    try await expectFault(reason, of: reply)
  }

  @Test func `a chunked reply may name Transfer-Encoding itself`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("").chunked(["a", "b"]).field(.transferEncoding, "chunked"))
    #expect(try await mock.get("https://example.com/") == "ab")
  }
}
