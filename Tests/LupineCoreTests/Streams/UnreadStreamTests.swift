import HTTPTypes
import LupineMock
@testable import LupineStreams
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

/// Streams whose body is not read, or not read to its end.
@Suite struct UnreadStreamTests {
  @Test(arguments: [true, false])
  func `a stream whose head alone was read ends its request when it is released`(hasEnded: Bool)
    async throws
  {
    let log = EventLog()
    let session = try Session.Builder().transport(Self.transport(hasEnded: hasEnded)).timeouts(idle: nil).monitor(log)
      .build()
    #expect(try await session.streamRequest(TestBed.url).serializingBytes().head.status == .ok)
    await session.finishRequests()
    #expect(log.all.compactMap(\.endKind) == [.cancelled])
  }

  @Test func `the body still has a reader after its head`() async throws {
    let session = try TestBed(.text("all of it")).session()
    let request = session.streamRequest(TestBed.url)
    #expect(try await request.serializingBytes().head.status == .ok)
    var text = ""
    for try await piece in request.serializingStrings() { text += piece }
    #expect(text == "all of it")
  }

  @Test func `a request that is started and released unread ends`() async throws {
    let bench = TestBed(.text("all of it"))
    let session = try bench.session { $0.timeouts(idle: nil) }
    session.streamRequest(TestBed.url).resume()
    await session.finishRequests()
    #expect(bench.log.all.compactMap(\.endKind) == [.cancelled])
  }

  @Test func `a cancellation ends a request whose whole body waits, and the reader receives the bytes`() async throws {
    let session = try TestBed(.text("all of it")).session()
    let request = session.streamRequest(TestBed.url)
    let stream = request.serializingBytes()
    _ = try await stream.head
    var pieces = stream.makeAsyncIterator()
    request.cancel()
    await session.finishRequests()
    #expect(try await pieces.next() == Array("all of it".utf8))
    await #expect { _ = try await pieces.next() } throws: { ($0 as? LupineError)?.kind == .cancelled }
  }

  @Test func `the total timeout ends a request whose whole body waits for its reader`() async throws {
    let clock = TestClock()
    let session = try Session.Builder().transport(Self.mock()).clock(clock).timeouts(total: .seconds(5)).build()
    let stream = session.streamRequest(TestBed.url).serializingBytes()
    _ = try await stream.head
    clock.advance(by: .seconds(6))
    await session.finishRequests()
    var pieces = stream.makeAsyncIterator()
    _ = try await pieces.next()
    await #expect { _ = try await pieces.next() } throws: { ($0 as? LupineError)?.kind == .timedOut(.total) }
  }

  @Test(arguments: [true, false])
  func `the idle timeout rests while a body waits for its reader`(hasEnded: Bool) async throws {
    let session = try Session.Builder().transport(Self.transport(hasEnded: hasEnded)).timeouts(idle: .seconds(5))
      .build()
    let request = session.streamRequest(TestBed.url, window: 4)
    _ = try await request.serializingBytes().head
    let late = session.clock.now() + .seconds(99)
    #expect(request.execution.timeLimits.check(now: late) == late + .seconds(5))
    #expect(request.execution.cancellation == nil)
  }

  @Test func `a session can be shut down within a loop over a stream whose whole body has arrived`() async throws {
    let session = try TestBed(.text("one\ntwo\n")).session()
    var lines: [String] = []
    do {
      for try await line in session.streamRequest(TestBed.url).serializingLines() {
        lines.append(line)
        await session.shutdown()
      }
    } catch {
      #expect(error.kind == .sessionShutDown)
    }
    #expect(lines.first == "one")
  }

  @Test func `a cancellation ends an interceptor's wait for the end of a stream without a reader`() async throws {
    let reached = Flag()
    let session = try Session.Builder().transport(Self.mock()).interceptor(Waiting(reached: reached)).build()
    let request = session.streamRequest(TestBed.url)
    let reading = Task { try await request.serializingBytes().head }
    await reached.raised()
    request.cancel()
    let error = await #expect(throws: LupineError.self) { try await reading.value }
    #expect(error?.kind == .cancelled)
    await session.finishRequests()
  }

  @Test func `so does the total timeout`() async throws {
    let (reached, clock) = (Flag(), TestClock())
    let session = try Session.Builder().transport(Self.mock()).clock(clock).timeouts(total: .seconds(5))
      .interceptor(Waiting(reached: reached)).build()
    let stream = session.streamRequest(TestBed.url).serializingBytes()
    let reading = Task { try await stream.head }
    await reached.raised()
    clock.advance(by: .seconds(6))
    let error = await #expect(throws: LupineError.self) { try await reading.value }
    #expect(error?.kind == .timedOut(.total))
    await session.finishRequests()
  }

  @Test func `the command of a stream is there once its head is`() async throws {
    let session = try Session.Builder().transport(Self.transport(hasEnded: true)).build()
    let request = session.streamRequest(TestBed.url)
    #expect(await request.cURLDescription().contains(TestBed.url))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a cancelled task that waits for the command of a stream cancels the request`() async throws {
    let asked = Flag()
    let transport = ClosureTransport { _, context throws(LupineError) in try await context.hang(asked) }
    let session = try Session.Builder().transport(transport).timeouts(idle: nil).build()
    let request = session.streamRequest(TestBed.url)
    let task = Task { await request.cURLDescription() }
    await asked.raised()
    task.cancel()
    #expect(await task.value.contains(TestBed.url))
    #expect(request.execution.cancellation?.kind == .cancelled)
    await session.finishRequests()
  }

  /// A transport whose responses have nine bytes, and whose bodies end only if `hasEnded` is true.
  private static func transport(hasEnded: Bool) -> ClosureTransport {
    ClosureTransport { _, context throws(LupineError) in
      let (response, writer) = context.begin()
      var bytes = Array("all of it".utf8)
      try writer.write(&bytes)
      if hasEnded { writer.finish(metrics: TransferMetrics()) }
      return response
    }
  }

  private static func mock() -> MockTransport {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("all of it"))
    return mock
  }
}

extension SessionEvent {
  /// The kind of the error with which a request finished; `nil` for other events and without an error.
  fileprivate var endKind: LupineError.Kind? {
    if case .finished(let error) = kind { error?.kind } else { nil }
  }
}

/// Awaits the end of each body before it returns the response.
private struct Waiting: Interceptor {
  let reached: Flag

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    let response = try await next(request)
    reached.raise()
    _ = try await response.body.end()
    return response
  }
}
