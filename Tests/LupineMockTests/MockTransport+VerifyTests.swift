import HTTPTypes
import LupineCore
import LupineMock
import Testing

@Suite struct MockTransportVerifyTests {
  @Test func `a mock used as its stubs expect verifies`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/a", .empty)
    mock.stub(.get, "/b", count: .times(2), .empty)
    mock.stub(.get, "/c", count: .optional, .empty)
    mock.stub(.get, "/d", count: .atMost(3), .empty)
    for path in ["a", "a", "b", "b"] { _ = try await mock.get("https://example.com/\(path)") }
    try mock.verify()
  }

  @Test func `unused stubs and unexpected requests are listed`() async throws {
    let mock = MockTransport()
    let line: UInt = #line + 1
    mock.stub(.get, "/never", .empty)
    mock.stub(.get, "/twice", count: .times(2), .empty)
    _ = try await mock.get("https://example.com/twice")
    _ = await Exchange(method: .delete, url: "https://example.com/x").failure(from: mock)
    let error = try #require(throws: LupineError.self) { try mock.verify() }
    #expect(error.kind == .unmatchedRequest)
    #expect(error.message.contains("DELETE https://example.com/x"))
    #expect(error.message.contains("GET /never at \(#fileID):\(line): it was never used"))
    #expect(error.message.contains("it was used 1 of 2 times"))
  }

  @Test func `a stub that was never used is an error by itself`() throws {
    let mock = MockTransport()
    mock.stub(.get, "/never", .empty)
    let error = try #require(throws: LupineError.self) { try mock.verify() }
    #expect(error.kind == .unusedStub)
    #expect(!error.message.contains("no stub expected"))
  }

  @Test func `the error of a mock without stubs shows the stub for the request`() async throws {
    let mock = MockTransport()
    let exchange = Exchange(method: .post, url: "https://example.com/users?page=2")
    let error = try #require(await exchange.failure(from: mock))
    #expect(error.kind == .unmatchedRequest)
    #expect(error.message.contains(#"mock.stub(.post, "https://example.com/users?page=2", .status(.ok))"#))
  }

  @Test func `the nearest stubs come first, with what differs`() async throws {
    let mock = MockTransport()
    let line: UInt = #line
    mock.stub(.get, "https://other.example.org/far/away/from/it", .empty)
    mock.stub(.delete, "https://example.com/v1/users/{id}", .empty)
    mock.stub(.get, "https://example.com/v1/people/{id}", where: [.field(.accept, "text/html")], .empty)
    mock.stub(.get, "https://example.com/v1/users/{id}?page=2", .empty)
    let error = try #require(await Exchange(url: "https://example.com/v1/users/42?page=3").failure(from: mock))
    let expected = """
      No stub of the mock matches GET https://example.com/v1/users/42?page=3.
      The nearest of its 4 stubs:
        1. GET https://example.com/v1/users/{id}?page=2 at \(#fileID):\(line + 4)
           query page: expected 2, got 3
        2. DELETE https://example.com/v1/users/{id} at \(#fileID):\(line + 2)
           method: expected DELETE, got GET
        3. GET https://example.com/v1/people/{id} at \(#fileID):\(line + 3)
           path: expected /v1/people/{id}, got /v1/users/42 (segment 2)
           field Accept: expected text/html, got no such field
      To expect it, add:
          mock.stub(.get, "https://example.com/v1/users/42?page=3", .status(.ok))
      """
    #expect(error.message == expected)
  }

  @Test(arguments: [
    ("http://example.com/a", "scheme: expected https, got http"),
    ("https://example.com:8443/a", "port: expected 443, got 8443"),
    ("https://example.org/a", "host: expected example.com, got example.org"),
    ("https://example.com/a/", "path: expected /a, got /a/"),
    ("https://example.com/b", "path: expected /a, got /b (segment 1)"),
  ]) func `each part of the URL is named`(url: String, difference: String) async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/a", .empty)
    let error = try #require(await Exchange(url: url).failure(from: mock))
    #expect(error.message.contains("Its only stub differs:"))
    #expect(error.message.contains(difference))
  }

  @Test func `the error names a stub that is used up`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", count: .once, .empty)
    _ = try await mock.get("https://example.com/")
    let error = try #require(await Exchange().failure(from: mock))
    #expect(error.message.contains("count: it answers once and is used up"))
  }
}
