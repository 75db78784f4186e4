import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

/// Monitors of one request.
@Suite struct RequestMonitorTests {
  /// A session without a monitor, not even that of the mock.
  private static func unobserved() throws -> Session {
    let mock = MockTransport(keepsLog: false)
    mock.stub(.get, "/{any...}", .text("hello"))
    return try Session.Builder().transport(mock).clock(ImmediateClock()).build()
  }

  @Test func `a request's own monitor receives every event, also those of the transport`() async throws {
    let bench = TestBed()
    _ = try await bench.session().request(TestBed.url).validate().serializingString().value
    let log = EventLog()
    let request = try Self.unobserved().request(TestBed.url).validate().monitor(log)
    _ = try await request.serializingString().value
    #expect(log.names == bench.log.names)
    #expect(log.names.contains("sent"))
    #expect(log.names.contains("serialized"))
    #expect(Set(log.all.map(\.request)) == [request.id])
  }

  @Test func `other requests of the session stay unobserved`() async throws {
    let session = try Self.unobserved()
    let log = EventLog()
    let observed = session.request(TestBed.url).monitor(log)
    let other = session.request(TestBed.url)
    _ = try await other.serializingString().value
    #expect(log.all.isEmpty)
    #expect(observed.execution.isObserved)
    #expect(!other.execution.isObserved)
  }

  @Test func `the session's monitors receive an event before those of the request, in the order of the calls`()
    async throws
  {
    let notes = Notes<String>()
    let note = { @Sendable (name: String) in
      ClosureEventMonitor { event in if case .started = event.kind { notes.add(name) } }
    }
    let session = try TestBed().session { $0.monitor(note("session")) }
    _ = try await session.request(TestBed.url).monitor(note("first")).monitor(note("second"))
      .serializingString().value
    #expect(notes.all == ["session", "first", "second"])
  }

  @Test func `a monitor that is added to a running request receives the later events`() async throws {
    let log = EventLog()
    let request = try Self.unobserved().request(TestBed.url)
    request.onHTTPResponse { [weak execution = request.execution] _ in
      execution?.add(log)
      return .allow
    }
    _ = try await request.serializingString().value
    #expect(!log.names.contains("started"))
    #expect(log.finishedCount == 1)
  }

  @Test func `a monitor receives no secret field`() async throws {
    let mock = MockTransport(keepsLog: false)
    mock.stub(.get, "/{any...}", MockReply.text("hello").field(.setCookie, "id=secret"))
    let log = EventLog()
    let request = try Session.Builder().transport(mock).build().request(TestBed.url).monitor(log)
    _ = try await request.serializingString().value
    let heads = log.all.compactMap { if case .head(let head) = $0.kind { head.headerFields[.setCookie] } else { nil } }
    #expect(heads == ["<redacted>"])
  }

  /// Makes a log for each session and for each request.
  private struct LogMaker: EventMonitor {
    let logs = Notes<EventLog>()
    let clocks = Notes<any Clock<Duration>>()

    func receive(_ event: SessionEvent) { Issue.record("\(event) reaches the monitor that makes others") }

    func makeMonitor(clock: any Clock<Duration>) -> any EventMonitor {
      let log = EventLog()
      logs.add(log)
      clocks.add(clock)
      return log
    }
  }

  @Test func `a monitor can make one of its own for each session and for each request`() async throws {
    let maker = LogMaker()
    let sessions = try (0..<2).map { _ in try TestBed().session { $0.monitor(maker) } }
    #expect(maker.logs.all.count == 2)
    _ = try await sessions[0].request(TestBed.url).serializingString().value
    #expect(maker.logs.all.map(\.finishedCount) == [1, 0])
    _ = try await sessions[1].request(TestBed.url).monitor(maker).serializingString().value
    #expect(maker.logs.all.map(\.finishedCount) == [1, 1, 1])
    #expect(maker.clocks.all.allSatisfy { $0 is ImmediateClock })
  }
}
