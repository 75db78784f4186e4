import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineStreams
@testable import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct DeadlineTests {
  private static func later(_ bench: TestBed, _ seconds: Int) -> VirtualInstant {
    bench.clock.now.advanced(by: .seconds(seconds))
  }

  @Test func `a request ends at its deadline`() async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(idle: nil) }
    let response = await session.request(TestBed.url).deadline(Self.later(bench, 5)).serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(response.error?.message == "The request's deadline passed.")
    #expect(bench.clock.now == VirtualInstant().advanced(by: .seconds(5)))
  }

  @Test func `a deadline of the system's clock is written without its type`() async throws {
    let bench = TestBed()
    let session = try bench.session()
    let request = session.request(TestBed.url).deadline(.now - .seconds(1))
    #expect(await request.serializingData().response.error?.kind == .timedOut(.total))
    let enclosed = await Session.withDeadline(.now - .seconds(1)) {
      await session.request(TestBed.url).serializingData().response
    }
    #expect(enclosed.error?.kind == .timedOut(.total))
    #expect(bench.mock.requests.isEmpty)
  }

  @Test(arguments: [0, -1])
  func `a request whose deadline has passed is not sent`(seconds: Int) async throws {
    let bench = TestBed()
    let request = try bench.session().request(TestBed.url).deadline(Self.later(bench, seconds))
    let error = await request.serializingData().response.error
    #expect(error?.kind == .timedOut(.total))
    #expect(error?.message == "The request's deadline had passed before it began.")
    #expect(bench.mock.requests.isEmpty)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a request to which no time is left is not sent`(total: Duration) async throws {
    let bench = TestBed()
    let response = await (try bench.session()).request(TestBed.url).timeouts { $0.total = total }
      .serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `a request to which an adapter leaves no time is not sent`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.adapter(LeavingNoTime()) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(bench.mock.requests.isEmpty)
  }

  @Test(arguments: [(3, 9), (9, 3)])
  func `of two deadlines the earlier one counts`(first: Int, second: Int) async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(idle: nil) }
    let response = await session.request(TestBed.url).deadline(Self.later(bench, first))
      .deadline(Self.later(bench, second)).serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(bench.clock.now == VirtualInstant().advanced(by: .seconds(3)))
  }

  @Test(arguments: [(3, 9), (9, 3)])
  func `beside a total timeout the earlier one counts`(deadline: Int, total: Int) async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(idle: nil, total: .seconds(total)) }
    let response = await session.request(TestBed.url).deadline(Self.later(bench, deadline)).serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(response.error?.message.contains("deadline") == (deadline < total))
    #expect(bench.clock.now == VirtualInstant().advanced(by: .seconds(3)))
  }

  @Test func `the waits before retries end at the deadline`() async throws {
    let bench = TestBed(.text("later", status: .serviceUnavailable).field(.retryAfter, "50"))
    let session = try bench.session { $0.retrier(.backoff(limit: 9)) }
    let response = await session.request(TestBed.url).deadline(Self.later(bench, 70)).serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(response.response?.status == .serviceUnavailable)
    #expect(bench.mock.requests.count == 2)
    #expect(bench.clock.now == VirtualInstant().advanced(by: .seconds(70)))
  }

  @Test func `a stream of events ends at its deadline, reconnections included`() async throws {
    let bench = TestBed(.text("data: 1\n\n", contentType: "text/event-stream"))
    let request = try bench.session().streamRequest(TestBed.url).deadline(Self.later(bench, 20))
    let error = await #expect(throws: LupineError.self) {
      for try await _ in request.serializingEvents(retry: .seconds(7)) {}
    }
    #expect(error?.kind == .timedOut(.total))
    #expect(error?.response?.status == .ok)
    #expect(bench.clock.now == VirtualInstant().advanced(by: .seconds(20)))
  }

  @Test func `the time until an instant of the system's clock is counted on the session's clock`() async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(idle: nil) }
    let response = await session.request(TestBed.url).deadline(ContinuousClock.now + .seconds(500))
      .serializingData().response
    #expect(response.error?.kind == .timedOut(.total))
    #expect(bench.clock.now > VirtualInstant().advanced(by: .seconds(400)))
  }

  @Test func `an instant of another clock is refused`() async throws {
    let bench = TestBed()
    let session = try Session.Builder().transport(bench.mock).build()
    let response = await session.request(TestBed.url).deadline(VirtualInstant()).serializingData().response
    #expect(response.error?.kind == .invalidRequest)
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `a request that has started keeps the bounds it has`() async throws {
    let clock = TestClock()
    let asked = Flag()
    let session = try Session.Builder().clock(clock).timeouts(idle: .seconds(5)).transport(
      ClosureTransport { _, context throws(LupineError) in try await context.hang(asked) }
    ).build()
    let request = session.request(TestBed.url)
    async let response = request.serializingData().response
    await asked.raised()
    request.deadline(clock.now.advanced(by: .seconds(1)))
    clock.advance(by: .seconds(5))
    #expect(await response.error?.kind == .timedOut(.idle))
  }

  @Test func `a deadline that is set once holds for all requests of a call`() async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(idle: nil) }
    let ends = await Session.withDeadline(Self.later(bench, 5)) {
      async let data = session.request(TestBed.url).serializingData().response.error?.kind
      async let file = session.download(TestBed.url).serializingFile().response.error?.kind
      let task = Task { await session.upload(Data(), to: TestBed.url).serializingData().response.error?.kind }
      let error = await #expect(throws: LupineError.self) {
        for try await _ in session.streamRequest(TestBed.url).serializingEvents() {}
      }
      return [await data, await file, await task.value, error?.kind]
    }
    #expect(ends == Array(repeating: .timedOut(.total), count: 4))
    #expect(bench.clock.now >= VirtualInstant().advanced(by: .seconds(5)))
  }

  @Test(arguments: [(3, 9), (9, 3)])
  func `a nested call has the earlier deadline`(outer: Int, inner: Int) async throws {
    let bench = TestBed(.stall)
    let session = try bench.session { $0.timeouts(idle: nil) }
    let kind = await Session.withDeadline(Self.later(bench, outer)) {
      await Session.withDeadline(Self.later(bench, inner)) {
        await session.request(TestBed.url).serializingData().response.error?.kind
      }
    }
    #expect(kind == .timedOut(.total))
    #expect(bench.clock.now == VirtualInstant().advanced(by: .seconds(3)))
  }

  @Test func `a request that is made before the call, or after it, has no deadline`() async throws {
    let bench = TestBed(.text("late").delay(.seconds(60)))
    let session = try bench.session { $0.timeouts(idle: nil) }
    let before = session.request(TestBed.url)
    let value = try await Session.withDeadline(Self.later(bench, 5)) { try await before.serializingString().value }
    #expect(value == "late")
    #expect(try await session.request(TestBed.url).serializingString().value == "late")
  }

  @Test func `a refresh of a credential does not have the deadline of the call that began it`() async throws {
    let bench = TestBed(.text("token").delay(.seconds(60)))
    let fetching = Fetching(session: try bench.session { $0.timeouts(idle: nil) })
    let interceptor = AuthenticationInterceptor(fetching, credential: Due(), to: .anyOrigin)
    let session = try bench.session { $0.timeouts(idle: nil).install(interceptor) }
    let kind = await Session.withDeadline(Self.later(bench, 5)) {
      await session.request(TestBed.url).serializingData().response.error?.kind
    }
    #expect(kind == .timedOut(.total))
    await fetching.ended.raised()
    #expect(fetching.errors.all == [nil])
  }
}

/// A credential that always requires a refresh.
private struct Due: AuthenticationCredential {
  func requiresRefresh(at date: Date) -> Bool { true }
}

/// Refreshes a credential with a request over another session.
private struct Fetching: Authenticator {
  let session: Session
  let ended = Flag()
  let errors = Notes<LupineError.Kind?>()

  func apply(_ credential: Due, to request: inout OutgoingRequest) {}

  func refresh(_ credential: Due, for other: Session) async throws -> Due {
    errors.add(await session.request(TestBed.url).serializingData().response.error?.kind)
    ended.raise()
    return Due()
  }
}

private struct LeavingNoTime: RequestAdapter {
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    var request = request
    request.options.timeouts = Timeouts(total: .zero)
    return request
  }
}
