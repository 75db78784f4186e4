import HTTPTypes
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore

@Suite struct ResendingTests {
  /// The loss of a reused or a new connection, before or after the first byte of the response.
  private static func lost(isKept: Bool = true, isAnswered: Bool = false) -> MockReply {
    var metrics = TransferMetrics()
    metrics.isConnectionReused = isKept
    if isAnswered { metrics.firstByte = .milliseconds(1) }
    return .failure(LupineError(.connectionLost, "The connection was lost.").measured(metrics))
  }

  private func reasons(_ bench: TestBed) -> [String] {
    bench.log.all.compactMap { if case .resending(_, let reason) = $0.kind { reason } else { nil } }
  }

  @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete])
  func `a request that was not processed is sent again without a retrier, whatever its method`(
    method: HTTPRequest.Method
  ) async throws {
    let notes = Notes<AttemptOutcome>()
    let bench = TestBed(.sequence([.fault(.goAway), .text("hello")]))
    let session = try bench.session { $0.retrier(Always(notes: notes)) }
    let response = await session.request(TestBed.url, method: method).serializingString().response
    #expect(response.value == "hello")
    #expect(bench.mock.requests.map(\.attempt) == [1, 1])
    #expect(reasons(bench) == ["the server has not processed the request"])
    #expect(notes.all.isEmpty)
  }

  @Test func `a request that is never processed is sent again 16 times, and then the retriers are asked`() async throws
  {
    let notes = Notes<AttemptOutcome>()
    let bench = TestBed(.fault(.goAway))
    let session = try bench.session { $0.retrier(Always(decision: .doNotRetry, notes: notes)) }
    let error = await session.request(TestBed.url, method: .post).serializingString().response.error
    #expect(error?.isUnprocessed == true)
    #expect(error?.kind == .connectionLost)
    #expect(error?.message.contains("It was sent again 16 times.") == true)
    #expect(bench.mock.requests.count == 17)
    #expect(reasons(bench).count == 16)
    #expect(notes.all.map { $0.error?.isUnprocessed } == [true])
  }

  @Test func `three lost connections end a request, and refusals before them do not count`() async throws {
    let refused = MockReply.fault(.goAway)
    let replies = [refused, refused, Self.lost(), refused, Self.lost(), refused, Self.lost(), refused, Self.lost()]
    let bench = TestBed(.sequence(replies + [.text("hello")]))
    let error = await (try bench.session()).request(TestBed.url).serializingString().response.error
    #expect(error?.kind == .connectionLost)
    #expect(error?.message.contains("It was sent again 8 times.") == true)
    #expect(bench.mock.requests.count == 9)
  }

  @Test func `only a lost connection makes the request need a new one`() async throws {
    let needs = Notes<Bool>()
    let bench = TestBed(.sequence([.fault(.goAway), Self.lost(), .fault(.goAway), .text("hello")]))
    let session = try bench.session {
      $0.exchangeLayer("needs") { NewConnectionNotes(notes: needs) }
    }
    for _ in 1...2 { _ = await session.request(TestBed.url).serializingString().response }
    #expect(needs.all == [false, false, true, true, false])
  }

  @Test(
    arguments: [
      (.get, lost(), true), (.put, lost(), true), (.post, lost(), false), (.patch, lost(), false),
      (.get, lost(isKept: false), false), (.get, lost(isAnswered: true), false), (.get, .reset, false),
    ] as [(HTTPRequest.Method, MockReply, Bool)])
  func `an idempotent request that lost a kept connection before its answer is sent again, and no other`(
    method: HTTPRequest.Method, reply: MockReply, isSentAgain: Bool
  ) async throws {
    let bench = TestBed(.sequence([reply, .text("hello")]))
    let response = await (try bench.session()).request(TestBed.url, method: method).serializingString().response
    #expect(response.value == (isSentAgain ? "hello" : nil))
    #expect(bench.mock.requests.count == (isSentAgain ? 2 : 1))
    #expect(reasons(bench).count == (isSentAgain ? 1 : 0))
  }

  @Test func `a POST that is marked as harmless, or has a key, is sent again like a GET`() async throws {
    for isMarked in [true, false] {
      let bench = TestBed(.sequence([Self.lost(), .text("hello")]))
      var request = try OutgoingRequest(TestBed.url, method: .post)
      if isMarked { request.options.isIdempotent = true } else { request.headers[.idempotencyKey] = "\"1\"" }
      #expect(await (try bench.session()).request(request).serializingString().response.value == "hello")
    }
  }

  @Test func `a body that can be sent only once is not sent again, and the error names the reason`() async throws {
    let bench = TestBed(.sequence([.fault(.goAway), .text("hello")]))
    let bytes = AsyncStream<[UInt8]> { continuation in
      continuation.yield([1])
      continuation.finish()
    }
    let request = try OutgoingRequest(TestBed.url, method: .put, body: .oneShot(bytes))
    let error = await (try bench.session()).request(request).serializingData().response.error
    #expect(error?.isUnprocessed == true)
    #expect(error?.message.contains("only once") == true)
    #expect(bench.mock.requests.count == 1)
    #expect(reasons(bench).isEmpty)
  }

  @Test(arguments: [LupineError.Timeout.total, .attempt])
  func `a deadline applies to resent requests`(timeout: LupineError.Timeout) async throws {
    let bench = TestBed(MockReply.fault(.goAway).delay(.seconds(4)))
    let bound = Duration.seconds(10)
    let session = try bench.session {
      $0.timeouts(idle: nil, total: timeout == .total ? bound : nil, attempt: timeout == .attempt ? bound : nil)
    }
    let error = await session.request(TestBed.url, method: .post).serializingData().response.error
    #expect(error?.kind == .timedOut(timeout))
    #expect(bench.mock.requests.count == 3)
    #expect(bench.clock.now == VirtualInstant().advanced(by: bound))
  }

  @Test func `only the request after the redirect is sent again`() async throws {
    let bench = TestBed { mock in
      mock.stub(.post, "/orders", .redirect(to: "/orders/2", status: .temporaryRedirect))
      mock.stub(.post, "/orders/2", .sequence([.fault(.goAway), .text("hello")]))
    }
    let response = await (try bench.session()).request("https://a.example.com/orders", method: .post)
      .serializingString().response
    #expect(response.value == "hello")
    #expect(bench.mock.requests.map(\.url.path) == ["/orders", "/orders/2", "/orders/2"])
  }

  @Test func `the log has each resent request with the reason`() async throws {
    let exchanges = ExchangeLogMonitor()
    let bench = TestBed(.sequence([.fault(.goAway), .text("hello")]))
    let session = try bench.session { $0.monitor(exchanges) }
    _ = await session.request(TestBed.url, method: .post).serializingString().response
    let attempt = try #require(exchanges.logs.first?.attempts.first)
    #expect(attempt.hops.count == 2)
    #expect(attempt.decisions.contains { $0.kind == .resend && $0.text.contains("not processed the request") })
  }

  @Test func `an error is unprocessed only if it was marked so`() {
    let error = LupineError(.connectionLost, "Lost.")
    #expect(!error.isUnprocessed)
    #expect(error.unprocessed().isUnprocessed)
    #expect(error.unprocessed().appending("More.").isUnprocessed)
  }
}

/// Notes whether each exchange needs a new connection.
private struct NewConnectionNotes: ExchangeLayer {
  let notes: Notes<Bool>

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    notes.add(context.needsNewConnection)
    return try await next(request, in: context)
  }
}
