import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

/// Stubs that respond before the request's body is completely read.
@Suite struct EarlyAnswerTests {
  /// A body that yields `some` and then waits until its cancellation, with a stream that finishes at that point.
  private static func endless() -> (RequestBody, ended: AsyncStream<Void>) {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    continuation.onTermination = { _ in end.finish() }
    continuation.yield(Array("some".utf8))
    return (.oneShot(stream), ended)
  }

  @Test func `a refusal arrives although the body never ends, and the body is released`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/upload", reading: .first(bytes: 0), .status(.contentTooLarge))
    let (body, ended) = Self.endless()
    let exchange = Exchange(method: .post, url: "https://example.com/upload", body: body)
    let (head, _, end) = try await exchange.response(from: mock)
    #expect(head.status == .contentTooLarge)
    #expect(end.metrics.bytesSent == 0)
    for await _ in ended {}
    let request = try #require(mock.requests.first)
    #expect(request.body.isEmpty)
    #expect(!request.isBodyComplete)
    try mock.verify()
  }

  @Test func `exactly the stated number of bytes is read`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", reading: .first(bytes: 3)) { request in .text(request.text) }
    let (body, ended) = Self.endless()
    let (_, text, end) = try await Exchange(method: .post, body: body).response(from: mock)
    #expect(text == "som")
    #expect(end.metrics.bytesSent == 3)
    for await _ in ended {}
    #expect(mock.requests.map(\.isBodyComplete) == [false])
  }

  @Test func `bytes that are wanted are waited for`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", reading: .first(bytes: 6)) { request in .text(request.text) }
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    async let response = Exchange(method: .post, body: .oneShot(stream)).response(from: mock)
    continuation.yield(Array("some ".utf8))
    continuation.yield(Array("more".utf8))
    #expect(try await response.text == "some m")
    continuation.finish()
  }

  @Test func `a body that ends before is whole`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", reading: .first(bytes: 100), .status(.ok))
    _ = try await Exchange(method: .post, body: .text("hello")).response(from: mock)
    #expect(mock.requests.first?.text == "hello")
    #expect(mock.requests.map(\.isBodyComplete) == [true])
  }

  @Test func `stubs that read less are asked first, and the others when those do not fit`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "https://example.com/a", priority: 9, .text("whole"))
    mock.stub(.post, "/{any...}", count: .once, reading: .first(bytes: 0), .text("early"))
    func send() async throws -> String {
      try await Exchange(method: .post, url: "https://example.com/a", body: .text("hello")).response(from: mock).text
    }
    #expect(try await send() == "early")
    #expect(try await send() == "whole")
    #expect(mock.requests.map(\.text) == ["", "hello"])
  }

  @Test func `a condition of the body is never met by a stub that answers before it`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", where: [.body("hello")], reading: .first(bytes: 0), .text("early"))
    let exchange = Exchange(method: .post, body: .text("hello"))
    let failure = try #require(await exchange.failure(from: mock))
    #expect(failure.kind == .unmatchedRequest)
    #expect(failure.message.contains("got no bytes (its reading: .first(…) shows conditions no body)"))
    mock.stub(.post, "/", .text("whole"))
    #expect(try await exchange.response(from: mock).text == "whole")
  }

  @Test func `an early refusal goes through a session`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/upload", reading: .first(bytes: 0), .text("too large", status: .contentTooLarge))
    let session = try Session.Builder().transport(mock).build()
    let (body, ended) = Self.endless()
    let request = try OutgoingRequest("https://example.com/upload", method: .post, body: body)
    #expect(try await session.request(request).serializingString().value == "too large")
    for await _ in ended {}
  }
}
