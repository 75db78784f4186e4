import HTTPTypes
import LupineCore
import LupineMock
import Testing

@Suite struct MockTransportStubsTests {
  @Test(arguments: [
    ("https://example.com/a", "https://example.com/a", true),
    ("https://example.com/a", "https://EXAMPLE.com:443/a", true),
    ("https://example.com/a", "http://example.com/a", false),
    ("https://example.com/a", "https://example.com:8443/a", false),
    ("https://example.com/a", "https://example.org/a", false),
    ("https://example.com/a", "https://example.com/a/", false),
    ("https://example.com/a", "https://example.com/A", false),
    ("https://example.com", "https://example.com/", true),
    ("https://example.com/a", "https://example.com/a?x=1", true),
    ("https://example.com/a", "https://example.com/a#part", true),
    ("https://example.com/a?x=1", "https://example.com/a?x=1", true),
    ("https://example.com/a?x=1", "https://example.com/a?y=2&x=1", true),
    ("https://example.com/a?x=1", "https://example.com/a?x=2", false),
    ("https://example.com/a?x=1", "https://example.com/a", false),
    ("https://example.com/a?x=1&x=1", "https://example.com/a?x=1", false),
    ("https://example.com/a?x={x}", "https://example.com/a?x=7", true),
    ("https://example.com/a?x={x}", "https://example.com/a?y=7", false),
    ("https://example.com/a?q=a%20b", "https://example.com/a?q=a+b", true),
    ("https://example.com/users/{id}", "https://example.com/users/42", true),
    ("https://example.com/users/{id}", "https://example.com/users/", false),
    ("https://example.com/users/{id}", "https://example.com/users/42/posts", false),
    ("https://example.com/users/{id}/posts", "https://example.com/users/42/posts", true),
    ("https://example.com/{a}/{b}", "https://example.com/1/2", true),
    ("https://example.com/{a}/{b}", "https://example.org/1/2", false),
    ("/users/{id}", "http://localhost:8080/users/42", true),
    ("/users/{id}.json", "https://example.com/users/42.json", true),
    ("/users/{id}.json", "https://example.com/users/.json", false),
    ("/users/{id}.json", "https://example.com/users/42.xml", false),
    ("/files/{path...}", "https://example.com/files/a/b/c", true),
    ("/files/{path...}", "https://example.com/files", true),
    ("/files/{path...}", "https://example.com/file/a", false),
    ("/{any...}", "https://example.com/", true),
    ("/a b", "https://example.com/a%20b", true),
    ("/caf%C3%A9", "https://example.com/café", true),
    ("/a%2Fb", "https://example.com/a/b", false),
    ("https://example.com/a b", "https://example.com/a%20b", true),
    ("https://example.com/caf%C3%A9", "https://example.com/café", true),
    ("https://example.com/café", "https://example.com/caf%c3%a9?x=1", true),
    ("https://example.com/cafe", "https://example.com/caf%65", true),
    ("https://example.com/caf%65", "https://example.com/cafe", true),
    ("https://example.com/a%2Fb", "https://example.com/a/b", false),
    ("https://example.com/a%2Fb", "https://example.com/a%2fb", true),
    ("https://example.com/a%252Fb", "https://example.com/a%2Fb", false),
    ("https://example.com/a%2525", "https://example.com/a%25", false),
    ("https://example.com/a%2525", "https://example.com/a%2525", true),
  ]) func `a template fits a URL, or not`(template: String, url: String, fits: Bool) async throws {
    let mock = MockTransport()
    mock.stub(.get, template, .empty)
    _ = await Exchange(url: url).failure(from: mock)
    #expect(mock.requests.map(\.isExpected) == [fits])
  }

  @Test(arguments: [
    ("users/{id}", #""/users/{id}""#),
    ("/users/{id", "{ has no } after it"),
    ("/users/id}", "} has no { before it"),
    ("/users/{}", "is not a variable"),
    ("/users/{a b}", "is not a variable"),
    ("/{id}/{id}", "occurs twice"),
    ("/{a}{b}", "one variable, not two"),
    ("/{rest...}/a", "must be its last segment"),
    ("https://{host}/a", "not in the host"),
    ("/a?{name}=1", "not its name"),
    ("/a?x=1{name}", "whole value"),
    ("/a#part", "fragment"),
    ("ftp://example.com/", "ftp"),
  ]) func `a template that cannot be parsed is a named error`(template: String, reason: String) async throws {
    let mock = MockTransport()
    let line: UInt = #line + 1
    mock.stub(.get, template, .empty)
    let failure = try #require(await Exchange().failure(from: mock))
    #expect(failure.kind == .invalidStub)
    #expect(failure.message.contains("LupineMockTests/MockTransport+StubsTests.swift:\(line)"))
    #expect(failure.message.contains(reason))
    let verdict = #expect(throws: LupineError.self) { try mock.verify() }
    #expect(verdict?.kind == .invalidStub)
    #expect(verdict?.message.contains(reason) == true)
  }

  @Test func `the exact URL comes before a template, and a template before the rest of a path`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("any"))
    mock.stub(.get, "/users/{id}", .text("relative"))
    mock.stub(.get, "https://example.com/users/{id}", .text("absolute"))
    mock.stub(.get, "https://example.com/users/me", .text("exact"))
    #expect(try await mock.get("https://example.com/users/me") == "exact")
    #expect(try await mock.get("https://example.com/users/42") == "absolute")
    #expect(try await mock.get("https://example.org/users/42") == "relative")
    #expect(try await mock.get("https://example.org/a/b/c") == "any")
  }

  @Test func `a higher priority comes before an exact URL`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/a", .text("exact"))
    mock.stub(.get, "/{any...}", priority: 1, .text("maintenance"))
    mock.stub(.get, "https://example.com/health", priority: 2, .text("up"))
    #expect(try await mock.get("https://example.com/a") == "maintenance")
    #expect(try await mock.get("https://example.com/health") == "up")
  }

  @Test func `more conditions come before fewer, and the first added before the second`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/a", .text("first"))
    mock.stub(.get, "https://example.com/a", .text("second"))
    mock.stub(.get, "https://example.com/a", where: [.query("page", "2")], .text("page 2"))
    #expect(try await mock.get("https://example.com/a") == "first")
    #expect(try await mock.get("https://example.com/a?page=2") == "page 2")
  }

  @Test func `a stub that is used up leaves the request to the next`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/a", count: .once, .text("once"))
    mock.stub(.get, "https://example.com/a", count: .times(2), .text("twice"))
    mock.stub(.get, "/a", .text("then"))
    var texts: [String] = []
    for _ in 0..<4 { texts.append(try await mock.get("https://example.com/a")) }
    #expect(texts == ["once", "twice", "twice", "then"])
  }

  @Test func `a count holds when requests race`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/a", count: .times(10), .text("few"))
    mock.stub(.get, "https://example.com/a", .text("rest"))
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await mock.get("https://example.com/a") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(texts.count { $0 == "few" } == 10)
    #expect(texts.count { $0 == "rest" } == 90)
  }

  @Test func `a sequence is given in order and its last reply repeats`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .sequence([.status(.serviceUnavailable), .text("up"), .text("still up")]))
    var texts: [String] = []
    for _ in 0..<4 { texts.append(try await mock.get("https://example.com/")) }
    #expect(texts == ["503", "up", "still up", "still up"])
  }

  @Test func `a closure that throws is an error at the stub's line`() async throws {
    struct Oops: Error {}
    let mock = MockTransport()
    let line: UInt = #line + 1
    mock.stub(.get, "/sync") { _ in throw Oops() }
    mock.stub(.get, "/async") { _ in
      await Task.yield()
      throw Oops()
    }
    for path in ["sync", "async"] {
      let failure = try #require(await Exchange(url: "https://example.com/\(path)").failure(from: mock))
      #expect(failure.kind == .invalidStub)
      #expect(failure.underlying is Oops)
      #expect(failure.message.contains("Oops"))
    }
    let verdict = #expect(throws: LupineError.self) { try mock.verify() }
    #expect(verdict?.message.contains("MockTransport+StubsTests.swift:\(line)") == true)
  }
}
