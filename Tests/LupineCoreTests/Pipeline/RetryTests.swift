import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineStreams
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct RetryTests {
  private static let failures = MockReply.sequence([.status(.serviceUnavailable), .reset, .text("hello")])

  @Test func `a request that is safe to repeat is retried until it succeeds`() async throws {
    let bench = TestBed(Self.failures)
    let session = try bench.session { $0.retrier(.backoff(limit: 2)).random { .max } }
    let response = await session.request(TestBed.url).validate().serializingString().response
    #expect(response.value == "hello")
    #expect(bench.mock.requests.map(\.attempt) == [1, 2, 3])
    #expect(bench.clock.now >= VirtualInstant().advanced(by: .milliseconds(1_499)))
  }

  @Test func `when the retries are used up, the last failure is the outcome`() async throws {
    let bench = TestBed(.status(.serviceUnavailable))
    let session = try bench.session { $0.retrier(.backoff(limit: 2)) }
    let response = await session.request(TestBed.url).validate().serializingData().response
    #expect(response.error?.kind == .unacceptableStatusCode(503))
    #expect(bench.mock.requests.count == 3)
  }

  @Test func `each retrier counts its own retries alone`() async throws {
    let busy = MockReply.status(.serviceUnavailable)
    let bench = TestBed(.sequence([.reset, .reset, .reset, busy, busy, busy, .text("too late")]))
    let session = try bench.session {
      $0.retrier(.connectionLost(limit: 3)).retrier(RetryPolicy(limit: 2, jitter: 0))
    }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.response?.status == .serviceUnavailable)
    #expect(bench.mock.requests.count == 6)
    let delays = bench.log.all.compactMap { event -> Duration? in
      if case .retrying(let delay?, _) = event.kind { delay } else { nil }
    }
    #expect(delays.suffix(2) == [.milliseconds(500), .seconds(1)])
  }

  @Test func `a POST is not repeated unless it is marked idempotent`() async throws {
    let bench = TestBed(Self.failures)
    let session = try bench.session { $0.retrier(.backoff()) }
    _ = await session.request(TestBed.url, method: .post).serializingData().response
    #expect(bench.mock.requests.count == 1)
    var marked = try OutgoingRequest(TestBed.url, method: .post)
    marked.options.isIdempotent = true
    _ = await session.request(marked).serializingData().response
    #expect(bench.mock.requests.count > 2)
  }

  @Test func `a POST that was redirected to a GET is still a POST to repeat`() async throws {
    let bench = TestBed { mock in
      mock.stub(.post, "/orders", .redirect(to: "/receipt", status: .seeOther))
      mock.stub(.get, "/receipt", .status(.serviceUnavailable))
    }
    let session = try bench.session { $0.retrier(.backoff()) }
    _ = await session.request("https://a.example.com/orders", method: .post).serializingData().response
    #expect(bench.mock.requests.map(\.method) == [.post, .get])
  }

  @Test func `a body that can be sent only once is not retried, and the error names the reason`() async throws {
    let bench = TestBed(.reset)
    let session = try bench.session { $0.retrier(Always()) }
    let bytes = AsyncStream<[UInt8]> { continuation in
      continuation.yield([1])
      continuation.finish()
    }
    let request = try OutgoingRequest(TestBed.url, method: .put, body: .oneShot(bytes))
    let response = await session.request(request).serializingData().response
    #expect(response.error?.kind == .connectionLost)
    #expect(response.error?.message.contains("only once") == true)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a stream's status is retried before its body is handed over, with validate or without`() async throws {
    for validates in [true, false] {
      let bench = TestBed(.sequence([.text("busy", status: .serviceUnavailable), .text("a\nb\n")]))
      let session = try bench.session { $0.retrier(.backoff()) }
      var request = session.streamRequest(TestBed.url)
      if validates { request = request.validate() }
      var lines: [String] = []
      for try await line in request.serializingLines() { lines.append(line) }
      #expect(lines == ["a", "b"])
      await session.finishRequests()
      #expect(bench.log.finishedCount == 1)
    }
  }

  @Test func `a stream is handed over if no retrier retries its status`() async throws {
    let bench = TestBed(.text("gone\n", status: .gone))
    let session = try bench.session { $0.retrier(.backoff()) }
    var lines: [String] = []
    for try await line in session.streamRequest(TestBed.url).serializingLines() { lines.append(line) }
    #expect(lines == ["gone"])
    let refusing = try bench.session { $0.retrier(Always(decision: .fail(LupineError(.retryRefused, "No.")))) }
    let error = await #expect(throws: LupineError.self) {
      for try await _ in refusing.streamRequest(TestBed.url).serializingLines() {}
    }
    #expect(error?.kind == .retryRefused)
  }

  @Test func `no retrier is called for a success`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.retrier(Always()) }
    _ = try await session.request(TestBed.url).serializingData().value
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a negative delay is zero`() async throws {
    let bench = TestBed(.sequence([.reset, .text("hello")]))
    let session = try bench.session { $0.retrier(Always(decision: .retry(after: .seconds(-5)))) }
    #expect(try await session.request(TestBed.url).serializingString().value == "hello")
  }

  @Test func `the total timeout ends a retry's backoff`() async throws {
    let bench = TestBed(.reset)
    let session = try bench.session {
      $0.retrier(Always(decision: .retry(after: .seconds(100)))).timeouts(idle: nil, total: .seconds(250))
    }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(bench.mock.requests.count == 3)
    #expect(bench.clock.now == VirtualInstant().advanced(by: .seconds(250)))
  }

  @Test func `the retrier receives the attempt, the error and the time`() async throws {
    let notes = Notes<AttemptOutcome>()
    let bench = TestBed(.sequence([.reset, .status(.notFound), .text("hello")]))
    let session = try bench.session { $0.retrier(Always(decision: .retry(after: .seconds(2)), notes: notes)) }
    _ = await session.request(TestBed.url).serializingData().response
    #expect(notes.all.map(\.number) == [1, 2])
    #expect(notes.all.map { $0.error?.kind } == [.connectionLost, nil])
    #expect(notes.all.map { $0.response?.status } == [nil, .notFound])
    #expect(notes.all.map(\.elapsed) == [.zero, .seconds(2)])
  }
}

struct Always: Retrier {
  var decision = RetryDecision.retry
  var notes: Notes<AttemptOutcome>?

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    notes?.add(attempt)
    return decision
  }
}
