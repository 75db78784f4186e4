import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

@Suite struct MockTransportTests {
  private struct User: Codable, Sendable, Equatable { var name: String }

  @Test func `a stub answers its method and URL with JSON`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
    let (head, text, end) = try await Exchange(url: "https://api.example.com/v1/users/42").response(from: mock)
    #expect(head.status == .ok)
    #expect(head.headerFields[.contentType] == "application/json")
    #expect(head.headerFields[.contentLength] == "16")
    #expect(text == #"{"name":"mattt"}"#)
    #expect(end.metrics.bytesReceived == 16)
  }

  @Test func `a closure answers from what it sees of the request`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "https://example.com/users/{id}/{rest...}") { request in
      .text("\(request.variables["id"] ?? "") \(request.variables["rest"] ?? "") \(request.text)", status: .created)
    }
    let exchange = Exchange(method: .post, url: "https://example.com/users/a%20b/c/d", body: .text("hello"))
    let (head, text, _) = try await exchange.response(from: mock)
    #expect(head.status == .created)
    #expect(text == "a b c/d hello")
  }

  @Test func `a closure may take its time`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/") { request in
      await Task.yield()
      return .text(request.method.rawValue)
    }
    #expect(try await mock.get("https://example.com/") == "GET")
  }

  @Test func `requests are recorded as they arrived`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "/{any...}", .empty)
    let fields: HTTPFields = [.accept: "text/plain"]
    let exchange = Exchange(
      method: .put, url: "https://example.com/a?q=1&q=2%203", headers: fields, body: .text("{\"name\":\"x\"}"),
      attempt: 3)
    _ = try await exchange.response(from: mock)
    let request = try #require(mock.requests.first)
    #expect(mock.requests.count == 1)
    #expect(request.method == .put)
    #expect(request.url.string == "https://example.com/a?q=1&q=2%203")
    #expect(request.query("q") == ["1", "2 3"])
    #expect(request.headers == fields)
    #expect(try request.json(User.self) == User(name: "x"))
    #expect(request.attempt == 3)
    #expect(request.isExpected)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a recorded request keeps nothing that its body held on to`() async throws {
    final class Owner: Sendable {
      let release: AsyncStream<Void>.Continuation
      init(_ release: AsyncStream<Void>.Continuation) { self.release = release }
      deinit { release.finish() }
    }
    let mock = MockTransport()
    mock.stub(.post, "/", .status(.ok))
    let (releases, release) = AsyncStream.makeStream(of: Void.self)
    do {
      let owner = Owner(release)
      let body = RequestBody.stream { [owner] in
        withExtendedLifetime(owner) {
          AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("ab".utf8))
            continuation.finish()
          }
        }
      }
      _ = try await Exchange(method: .post, body: body).response(from: mock)
    }
    #expect(mock.requests.first?.text == "ab")
    // The loop ends when the owner is released, possibly on the thread that opened the body.
    for await _ in releases {}
  }

  @Test func `a streamed body is awaited and recorded`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", .empty)
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let exchange = Exchange(method: .post, body: .oneShot(stream))
    async let response = exchange.response(from: mock)
    continuation.yield(Array("one ".utf8))
    continuation.yield(Array("two".utf8))
    continuation.finish()
    #expect(try await response.end.metrics.bytesSent == 7)
    #expect(mock.requests.first?.text == "one two")
  }

  @Test func `a one-shot body is consumed`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", .empty)
    let stream = AsyncStream<[UInt8]> { $0.finish() }
    let exchange = Exchange(method: .post, body: .oneShot(stream))
    _ = try await exchange.response(from: mock)
    #expect(await exchange.failure(from: mock)?.kind == .bodyFailed)
  }

  @Test(arguments: [MockReply.text("hello"), .text("hello").delay(.seconds(1)), .reset])
  func `a connection is reported before the events of its exchange`(reply: MockReply) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", reply.informational([HTTPResponse(status: .init(code: 103))]))
    let exchange = Exchange()
    _ = await exchange.failure(from: mock)
    guard case .connected(let address, let isReused)? = exchange.events.all.first else {
      Issue.record("no connection was told first: \(exchange.events.all)")
      return
    }
    #expect(address == "example.com:443")
    #expect(!isReused)
  }

  @Test(arguments: [MockReply.fault(.connectionRefused), .fault(.hostNotFound), .failure(.connectionFailed)])
  func `a connection that was not made is not reported`(reply: MockReply) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", reply)
    let exchange = Exchange()
    #expect(await exchange.failure(from: mock) != nil)
    #expect(exchange.events.all.isEmpty)
  }

  @Test func `parallel mocks do not see each other`() async throws {
    let texts = try await withThrowingTaskGroup(of: (String, Int).self) { group in
      for number in 0..<20 {
        group.addTask {
          let mock = MockTransport()
          mock.stub(.get, "/", .text("\(number)"))
          return (try await mock.get("https://example.com/"), mock.requests.count)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(texts.map(\.0)) == Set((0..<20).map { "\($0)" }))
    #expect(texts.allSatisfy { $0.1 == 1 })
  }

  @Test func `a mock is made with its stubs where a transport is expected`() async throws {
    func send(through transport: some Transport) async throws -> HTTPResponse.Status {
      let context = TransferContext(id: RequestID(1)) { _ in .collect(limit: 10) }
      return try await transport.send(OutgoingRequest("https://example.com/"), in: context).head.status
    }
    #expect(try await send(through: .mock { $0.stub(.get, "/", .empty) }) == .noContent)
  }

  @Test func `the shutdown ends running exchanges and refuses later ones`() async throws {
    let mock = MockTransport()
    let clock = TestClock()
    mock.stub(.get, "/head", .stall)
    mock.stub(.get, "/body", .text("abc").stall(afterBytes: 1))
    async let early = Exchange(url: "https://example.com/head", clock: clock).failure(from: mock)
    async let late = Exchange(url: "https://example.com/body", clock: clock).failure(from: mock)
    await clock.waitForSleepers(2)
    await mock.shutdown()
    #expect(await early?.kind == .sessionShutDown)
    #expect(await late?.kind == .sessionShutDown)
    #expect(await Exchange().failure(from: mock)?.kind == .sessionShutDown)
  }
}
