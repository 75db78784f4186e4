import HTTPTypes
import LupineMock
@testable import LupineStreams
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct SessionLifeTests {
  /// Cancels the requests of the session just before their exchange.
  private struct Canceller: RequestAdapter {
    func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
      session.cancelAllRequests()
      return request
    }
  }

  @Test func `the request of a released session finishes`() async throws {
    let reply = Flag()
    let bench = TestBed { mock in
      mock.stub(.get, "/{any...}") { (_: RecordedRequest) async throws -> MockReply in
        await reply.raised()
        return .text("late")
      }
    }
    weak var observed: Session?
    let done = Notes<String>()
    let end = Flag()
    do {
      let session = try bench.session()
      observed = session
      session.request(TestBed.url).responseString {
        done.add($0.value ?? "")
        end.raise()
      }
    }
    #expect(observed != nil)
    reply.raise()
    await end.raised()
    #expect(done.all == ["late"])
  }

  @Test func `a session is released when its last request is done`() async throws {
    weak var observed: Session?
    do {
      let session = try TestBed().session()
      observed = session
      _ = try await session.request(TestBed.url).serializingData().value
    }
    #expect(observed == nil)
  }

  /// A part of a session that reports its release.
  private final class Part: EventMonitor {
    private let end: Flag

    init(_ end: Flag) { self.end = end }

    deinit { end.raise() }

    func receive(_ event: SessionEvent) {}
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["read", "left", "unread", "events"])
  func `a session is released when its last stream is done`(how: String) async throws {
    let end = Flag()
    do {
      let bench = TestBed(.text("data: a\n\ndata: b\n\n").field(.contentType, "text/event-stream"))
      let request = try bench.session { $0.monitor(Part(end)) }.streamRequest(TestBed.url)
      switch how {
      case "read": for try await _ in request.serializingBytes() {}
      case "left": for try await _ in request.serializingLines() { break }
      case "unread": _ = try await request.serializingBytes().head
      default: for try await _ in request.serializingEvents(reconnects: false) {}
      }
    }
    await end.raised()
  }

  @Test func `a session is released when its last request was cancelled just before its exchange`() async throws {
    weak var observed: Session?
    do {
      let session = try TestBed().session { $0.adapter(Canceller()) }
      observed = session
      let response = await session.request(TestBed.url).serializingData().response
      #expect(response.error?.kind == .cancelled)
    }
    #expect(observed == nil)
  }

  @Test func `a request that is never started leaves nothing behind`() throws {
    weak var observed: Session?
    weak var task: RequestExecution?
    do {
      let session = try TestBed().session { $0.startsImmediately(false) }
      observed = session
      let request = session.request(TestBed.url).responseString { _ in }
      task = request.execution
    }
    #expect(observed == nil)
    #expect(task == nil)
  }

  @Test func `a shutdown ends what runs and refuses what comes, with a named error`() async throws {
    let asked = Flag()
    let session = try Session.Builder().transport(
      ClosureTransport { _, context throws(LupineError) in
        try await context.hang(asked)
      }
    ).build()
    async let response = session.request(TestBed.url).serializingData().response
    await asked.raised()
    await session.shutdown()
    #expect(await response.error?.kind == .sessionShutDown)
    #expect(await session.request(TestBed.url).serializingData().response.error?.kind == .sessionShutDown)
    await session.shutdown()
  }

  @Test func `a shutdown returns at once if nothing runs`() async throws {
    let session = try TestBed().session()
    await session.shutdown()
    await session.finishRequests()
  }

  @Test func `a transport that two sessions share outlives the shutdown of one`() async throws {
    let bench = TestBed()
    let first = try bench.session()
    let second = try bench.session()
    await first.shutdown()
    #expect(try await second.request(TestBed.url).serializingString().value == "hello")
  }

  @Test func `cancelling all requests ends those that run and no later one`() async throws {
    let asked = Flag()
    let session = try Session.Builder().transport(
      ClosureTransport { request, context throws(LupineError) in
        if request.method == .post { return context.answer() }
        return try await context.hang(asked)
      }
    ).build()
    async let response = session.request(TestBed.url).serializingData().response
    await asked.raised()
    session.cancelAllRequests()
    #expect(await response.error?.kind == .cancelled)
    #expect(await session.request(TestBed.url, method: .post).serializingData().response.response?.status == .ok)
  }

  @Test(arguments: UInt64(0)..<10)
  func `awaiting a session's requests waits for handlers that came after their end`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let session = try Session.Builder().transport(.mock { $0.stub(.get, "/", .text("hello")) }).build()
      let request = session.request("https://example.com/")
      _ = await request.serializingData().response
      let notes = Notes<Int>()
      for number in 0..<3 { request.responseData { _ in notes.add(number) } }
      await session.finishRequests()
      try world.expect(notes.all == [0, 1, 2], "\(notes.all)")
    }
  }

  @Test func `awaiting a session's requests waits for their handlers`() async throws {
    let session = try TestBed().session()
    let notes = Notes<Int>()
    for number in 0..<20 { session.request(TestBed.url).responseData { _ in notes.add(number) } }
    await session.finishRequests()
    #expect(notes.all.sorted() == Array(0..<20))
  }
}
