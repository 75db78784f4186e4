import HTTPTypes
import LupineMock
@testable import LupineStreams
@testable import LupineSupport
@testable import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct RequestOptionsTests {
  @Test(
    arguments: [
      (Timeouts(idle: .seconds(3)), .idle), (Timeouts(idle: nil, total: .seconds(3)), .total),
      (Timeouts(idle: nil, attempt: .seconds(3)), .attempt),
    ] as [(timeouts: Timeouts, ending: LupineError.Timeout)], [true, false])
  func `a modifier sets a request's bounds`(
    bound: (timeouts: Timeouts, ending: LupineError.Timeout), isAdapted: Bool
  ) async throws {
    let bench = TestBed(.stall)
    let session = try bench.session {
      let builder = $0.timeouts(idle: .seconds(70)).retrier(.backoff(limit: 1)).random { 0 }
      return isAdapted ? builder.adapter(Passing()) : builder
    }
    let response = await session.request(TestBed.url).timeouts { $0 = bound.timeouts }.serializingData().response
    #expect(response.error?.kind == .timedOut(bound.ending))
    #expect(bench.mock.requests.count == (bound.ending == .total ? 1 : 2))
    // The message contains the timeout that ended the request, which differs from the session's.
    #expect(response.error?.message.contains(Duration.seconds(3).milliseconds) == true)
  }

  @Test func `bounds that a modifier does not name are the session's`() async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(connect: .seconds(2), idle: .seconds(7)) }
    let request = session.request(TestBed.url).timeouts { $0.total = .seconds(90) }
    #expect(request.request?.options.timeouts == Timeouts(connect: .seconds(2), idle: .seconds(7), total: .seconds(90)))
    let response = await request.serializingData().response
    #expect(response.error?.message.contains(Duration.seconds(7).milliseconds) == true)
  }

  @Test func `a modifier changes the bounds that the request was described with`() async throws {
    let session = try TestBed().session { $0.timeouts(idle: .seconds(7)) }
    var description = try OutgoingRequest(TestBed.url)
    description.options.timeouts = Timeouts(connect: nil, idle: .seconds(8))
    let request = session.request(description).timeouts { $0.total = .seconds(9) }.timeouts { $0.attempt = .seconds(6) }
    let bounds = Timeouts(connect: nil, idle: .seconds(8), total: .seconds(9), attempt: .seconds(6))
    #expect(request.request?.options.timeouts == bounds)
  }

  @Test func `a modifier gives a request more time`() async throws {
    let bench = TestBed(.text("").chunked(["a", "b", "c"], every: .seconds(10)))
    let session = try bench.session { $0.timeouts(idle: .seconds(20), total: .seconds(9)) }
    let request = session.request(TestBed.url).timeouts { $0.total = nil }
    #expect(try await request.serializingString().value == "abc")
  }

  @Test func `the connect timeout of a modifier reaches the transport`() async throws {
    let noted = Notes<Duration?>()
    let session = try Session.Builder().timeouts(connect: .seconds(9)).transport(
      ClosureTransport { _, context throws(LupineError) in
        noted.add(context.connectTimeout)
        return context.answer(200, [:], "x")
      }
    ).build()
    _ = try await session.request(TestBed.url).timeouts { $0.connect = .seconds(4) }.serializingData().value
    #expect(noted.all == [.seconds(4)])
  }

  @Test func `adapters see the options of a modifier and may change them`() async throws {
    let bench = TestBed()
    let seen = Notes<OutgoingRequest.Priority>()
    let session = try bench.session { $0.adapter(Hurrying(seen: seen)) }
    _ = try await session.request(TestBed.url).options { $0.priority = .low }.serializingData().value
    #expect(seen.all == [.low])
    #expect(bench.mock.requests.map(\.priority) == [.high])
  }

  @Test func `a request that its options mark as idempotent is retried`() async throws {
    let bench = TestBed(.sequence([.status(.serviceUnavailable), .text("again")]))
    let session = try bench.session { $0.retrier(RetryPolicy(methods: [.get])) }
    let request = session.request(TestBed.url, method: .post).options { $0.isIdempotent = true }
    #expect(try await request.serializingString().value == "again")
  }

  @Test func `every kind of request has options of its own`() async throws {
    let bench = TestBed(.text("x\n"))
    let session = try bench.session()
    _ = try await session.upload(.text("x"), to: TestBed.url).options { $0.priority = .high }.serializingData().value
    _ = try await session.download(TestBed.url).options { $0.priority = .high }.serializingData().value
    for try await _ in session.streamRequest(TestBed.url).options({ $0.priority = .high }).serializingLines() {}
    #expect(bench.mock.requests.map(\.priority) == [.high, .high, .high])
  }

  @Test func `each connection of a stream of events has the request's options`() async throws {
    let page = MockReply.text("data: a\n\n").field(.contentType, "text/event-stream")
    let bench = TestBed(.sequence([page, .status(.noContent)]))
    let request = try bench.session().streamRequest(TestBed.url).options { $0.priority = .low }
    for try await _ in request.serializingEvents() {}
    #expect(bench.mock.requests.map(\.priority) == [.low, .low])
  }
}

private struct Passing: RequestAdapter {
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest { request }
}

private struct Hurrying: RequestAdapter {
  let seen: Notes<OutgoingRequest.Priority>

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    seen.add(request.options.priority)
    var request = request
    request.options.priority = .high
    return request
  }
}
