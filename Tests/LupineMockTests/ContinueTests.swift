import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Synchronization
import Testing

/// Requests whose body waits for 100 Continue (RFC 9110 section 10.1.1).
@Suite struct ContinueTests {
  private static func exchange(
    _ body: RequestBody = .text("hello"), url: String = "https://example.com/", headers: HTTPFields = [:]
  ) -> Exchange {
    Exchange(method: .post, url: url, headers: headers, body: body, expectsContinue: true)
  }

  private static func mock(_ reply: MockReply) -> MockTransport {
    let mock = MockTransport()
    mock.stub(.post, "/", reply)
    return mock
  }

  @Test func `the body follows 100, and the request shows what it expects`() async throws {
    let mock = Self.mock(.text("fine"))
    let exchange = Self.exchange()
    let (_, text, end) = try await exchange.response(from: mock)
    #expect(text == "fine")
    #expect(end.metrics.bytesSent == 5)
    #expect(exchange.course == ["connected", "100", "sent 5"])
    #expect(mock.requests.map(\.text) == ["hello"])
    #expect(mock.requests.map { $0.headers[values: .expect] } == [["100-continue"]])
    try mock.verify()
  }

  @Test(arguments: [307, 308, 400, 401, 413, 417, 500, 503])
  func `an answer in place of 100 leaves the body unread`(status: Int) async throws {
    let mock = Self.mock(.text("no", status: .init(code: status)))
    let exchange = Self.exchange()
    let (head, text, end) = try await exchange.response(from: mock)
    #expect(head.status.code == status)
    #expect(text == "no")
    #expect(end.metrics.bytesSent == 0)
    #expect(exchange.course == ["connected"])
    #expect(mock.requests.map(\.text) == [""])
    #expect(mock.requests.map(\.isBodyComplete) == [false])
    #expect(mock.requests.map { $0.headers[.expect] } == ["100-continue"])
  }

  @Test(arguments: [200, 204, 301, 303]) func `another status follows the body`(status: Int) async throws {
    let mock = Self.mock(.status(.init(code: status)))
    let exchange = Self.exchange()
    _ = try await exchange.response(from: mock)
    #expect(exchange.course == ["connected", "100", "sent 5"])
  }

  @Test(arguments: [
    MockReply.reset, .fault(.goAway), .fault(.doubledLength), .failure(.connectionLost), .fault(.connectionRefused),
    .text("over").field(.contentLength, "9"),
  ]) func `a reply without a head leaves the body unread`(reply: MockReply) async throws {
    let mock = Self.mock(reply)
    let exchange = Self.exchange()
    let failure = try #require(await exchange.failure(from: mock))
    #expect(failure.metrics?.bytesSent == 0)
    #expect(!exchange.course.contains("100"))
    #expect(mock.requests.map(\.text) == [""])
  }

  @Test func `a refusal after 100 has seen the body`() async throws {
    let mock = Self.mock(.status(.unprocessableContent).continues())
    let exchange = Self.exchange()
    #expect(try await exchange.response(from: mock).head.status == .unprocessableContent)
    #expect(exchange.course == ["connected", "100", "sent 5"])
    #expect(mock.requests.map(\.text) == ["hello"])
  }

  @Test func `interim responses of the stub are sent once, and a 100 among them replaces the mock's`() async throws {
    @Sendable func head(_ code: Int) -> HTTPResponse { HTTPResponse(status: .init(code: code)) }
    let mock = MockTransport()
    mock.stub(.post, "/among", .status(.badRequest).informational([head(103), head(100), head(102)]))
    mock.stub(.post, "/besides", .status(.ok).informational([head(103)]))
    mock.stub(.post, "/closure") { _ in .status(.ok).informational([head(103), head(100)]) }
    for (path, course) in [
      ("among", ["103", "100", "sent 5", "102"]), ("besides", ["100", "sent 5", "103"]),
      ("closure", ["100", "sent 5", "103"]),
    ] {
      let exchange = Self.exchange(url: "https://example.com/\(path)")
      _ = try await exchange.response(from: mock)
      #expect(exchange.course == ["connected"] + course)
    }
  }

  @Test func `a closure is called after 100, or without the body if the stub reads none`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/whole") { .text($0.text, status: .badRequest) }
    mock.stub(.post, "/slowly") { request async in .text(request.text, status: .badRequest) }
    mock.stub(.post, "/some", reading: .first(bytes: 2)) { .text($0.text, status: .badRequest) }
    mock.stub(.post, "/none", reading: .first(bytes: 0)) { .text($0.text, status: .badRequest) }
    for (path, text, course) in [
      ("whole", "hello", ["100", "sent 5"]), ("slowly", "hello", ["100", "sent 5"]), ("some", "he", ["100"]),
      ("none", "", []),
    ] as [(String, String, [String])] {
      let exchange = Self.exchange(url: "https://example.com/\(path)")
      #expect(try await exchange.response(from: mock).text == text)
      #expect(exchange.course == ["connected"] + course)
    }
  }

  @Test func `a body without bytes expects nothing, nor does one over HTTP 1 point 0`() async throws {
    let mock = Self.mock(.status(.badRequest))
    let empty = Self.exchange(.text(""))
    _ = try await empty.response(from: mock)
    #expect(!empty.course.contains("100"))
    _ = try await Self.exchange(.none).response(from: mock)
    var request = try OutgoingRequest("https://example.com/", method: .post, body: .text("hello"))
    (request.options.expectsContinue, request.options.version) = (true, .http1_0)
    _ = try await mock.send(request, in: TransferContext(id: RequestID(1), sink: { _ in .discard(limit: 9) })).body
      .end()
    #expect(mock.requests.map(\.headers) == [[:], [:], [:]])
    #expect(mock.requests.map(\.text) == ["", "", "hello"])
  }

  @Test func `a challenge and a redirect that come in place of 100 cost no body`() async throws {
    let mock = MockTransport()
    let moved = MockReply.redirect(to: "/b", status: .temporaryRedirect)
    mock.stub(.post, "/a", .sequence([.challenge("Basic realm=\"staff\""), moved]))
    mock.stub(.post, "/b", .text("stored"))
    let session = try Session.Builder().transport(mock).build()
    let told = Mutex<[Int64]>([])
    let request = session.upload(.text("hello"), to: "https://example.com/a", expectsContinue: true)
      .authenticate(username: "x", password: "y")
      .uploadProgress { progress in told.withLock { $0.append(progress.completed) } }
    #expect(try await request.serializingString().value == "stored")
    #expect(mock.requests.map(\.text) == ["", "", "hello"])
    #expect(mock.requests.map { $0.headers[.expect] } == ["100-continue", "100-continue", "100-continue"])
    #expect(told.withLock { $0.filter { $0 > 0 } } == [5])
  }

  @Test(arguments: ["100-continue", "100-Continue"])
  func `a field of the request's own means the same`(value: String) async throws {
    let mock = Self.mock(.text("fine"))
    var exchange = Self.exchange(headers: [.expect: value])
    exchange.expectsContinue = false
    _ = try await exchange.response(from: mock)
    #expect(exchange.course == ["connected", "100", "sent 5"])
    #expect(mock.requests.map { $0.headers[values: .expect] } == [[value]])
  }
}
