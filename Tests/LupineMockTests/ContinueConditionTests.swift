import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

/// The choice of a stub for a request whose body waits for 100 Continue.
@Suite struct ContinueConditionTests {
  private static func exchange(headers: HTTPFields = [:]) -> Exchange {
    Exchange(method: .put, headers: headers, body: .text("hello"), expectsContinue: true)
  }

  @Test func `a stub whose conditions the head meets answers without the body`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "/", where: [.noField(.authorization)], .challenge("Basic realm=\"staff\""))
    mock.stub(.put, "/", .status(.created))
    let stranger = Self.exchange()
    #expect(try await stranger.response(from: mock).head.status == .unauthorized)
    let friend = Self.exchange(headers: [.authorization: "Basic eDp5"])
    #expect(try await friend.response(from: mock).head.status == .created)
    #expect(mock.requests.map(\.text) == ["", "hello"])
    #expect([stranger, friend].map { $0.course.contains("100") } == [false, true])
  }

  @Test func `a server that answers 417 accepts the request without the expectation`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "/", where: [.field(.expect, "100-continue")], .status(.expectationFailed))
    mock.stub(.put, "/", .status(.created))
    #expect(try await Self.exchange().response(from: mock).head.status == .expectationFailed)
    var plain = Self.exchange()
    plain.expectsContinue = false
    #expect(try await plain.response(from: mock).head.status == .created)
    #expect(mock.requests.map(\.text) == ["", "hello"])
  }

  @Test(arguments: [RequestCondition.body("hello"), .matching("any") { _ in true }])
  func `a condition that may want the body has it sent first`(condition: RequestCondition) async throws {
    let mock = MockTransport()
    mock.stub(.put, "/", where: [condition], .status(.badRequest))
    mock.stub(.put, "/", .status(.created))
    let exchange = Self.exchange()
    #expect(try await exchange.response(from: mock).head.status == .badRequest)
    #expect(exchange.course == ["connected", "100", "sent 5"])
    #expect(mock.requests.map(\.text) == ["hello"])
  }

  @Test func `a request that matches no stub keeps its body, and the report has the head alone`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "/", where: [.field(.authorization), .body("other")], .status(.created))
    let exchange = Self.exchange()
    let failure = try #require(await exchange.failure(from: mock))
    #expect(failure.kind == .unmatchedRequest)
    #expect(failure.message.contains("field Authorization: expected any value, got no such field"))
    #expect(!failure.message.contains("body"))
    #expect(failure.metrics?.bytesSent == 0)
    #expect(mock.requests.map(\.text) == [""])
  }

  @Test func `a precondition of a resource is answered before the body is sent`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "/", .resource(Data("old".utf8), etag: "v2"))
    let exchange = Self.exchange(headers: [.ifMatch: "\"v1\""])
    #expect(try await exchange.response(from: mock).head.status == .preconditionFailed)
    #expect(exchange.course == ["connected"])
    #expect(mock.requests.map(\.text) == [""])
  }

  @Test func `each answer of a sequence, and a count, is used once`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "/", count: .times(2), .sequence([.status(.serviceUnavailable), .status(.created)]))
    let statuses = [
      try await Self.exchange().response(from: mock).head.status,
      try await Self.exchange().response(from: mock).head.status,
    ]
    #expect(statuses == [.serviceUnavailable, .created])
    #expect(mock.requests.map(\.text) == ["", "hello"])
    #expect(await Self.exchange().failure(from: mock)?.kind == .unmatchedRequest)
  }
}
