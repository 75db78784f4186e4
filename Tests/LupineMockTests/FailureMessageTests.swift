import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Testing

/// The messages of failing tests.
@Suite struct FailureMessageTests {
  @Test func `the error of verify has the log of each request`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/a", .sequence([.reset, .text("up")]))
    mock.stub(.get, "/b", .text("never"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).retrier(.backoff(limit: 1)).build()
    _ = await session.request("https://example.com/a").serializingString().response
    let error = try #require(throws: LupineError.self) { try mock.verify() }
    #expect(error.kind == .unusedStub)
    #expect(error.message.contains("GET /b at"))
    #expect(error.message.contains("What happened:\n  #1 GET https://example.com/a: status 200 after"))
    #expect(error.message.contains("failed: example.com reset the connection"))
  }

  @Test func `the stub to add has a line of its own, to be pasted`() async throws {
    let session = try Session.Builder().transport(MockTransport()).build()
    let error = try #require(await session.request("https://example.com/a").serializingData().response.error)
    let lines = "\(error)".split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.contains(#"mock.stub(.get, "https://example.com/a", .status(.ok))"#))
    #expect(lines.last == "[GET https://example.com/a]")
  }

  @Test func `the error of an unexpected request has the log that led to it`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/old", .redirect(to: "/new"))
    let session = try Session.Builder().transport(mock).build()
    let error = try #require(await session.request("https://example.com/old").serializingData().response.error)
    #expect(error.kind == .unmatchedRequest)
    #expect(error.message.contains("Earlier exchanges of the request:"))
    #expect(error.message.contains("redirected to https://example.com/new: status 302"))
  }

  @Test func `a mock can do without the log`() async throws {
    let mock = MockTransport(keepsLog: false)
    mock.stub(.get, "/", .status(.ok))
    let session = try Session.Builder().transport(mock).build()
    _ = await session.request("https://example.com/").serializingData().response
    #expect(mock.exchanges.isEmpty)
  }
}
