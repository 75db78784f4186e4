import FoundationEssentials
import HTTPTypes
import Lupine
import LupineMock
import LupineRecording
import LupineTesting
import Synchronization
import Testing

/// On a virtual clock the date of a session begins with the recording, so dates are played as they were recorded.
@Suite(.timeLimit(.minutes(1))) struct RecordedDateTests {
  /// Tue, 14 Nov 2023 22:13:20 GMT.
  private static let date = Date(timeIntervalSince1970: 1_700_000_000)

  private static func entry(
    status: HTTPResponse.Status = .ok, _ text: String, fields: HTTPFields, begin: Duration = .zero
  ) -> Cassette.Entry {
    Cassette.Entry(
      request: Cassette.Request(url: "https://example.com/"), begin: begin,
      response: Cassette.Response(
        head: HTTPResponse(status: status, headerFields: fields), version: .http1_1, body: .inline(Data(text.utf8))))
  }

  private static func replay(_ entries: [Cassette.Entry]) -> ReplayTransport {
    ReplayTransport(
      Cassette(header: Cassette.Header(date: date, capabilities: [.networking, .tls]), entries: entries))
  }

  private static func text(_ session: Session) async throws -> String {
    try await session.request("https://example.com/").serializingString().value
  }

  @Test func `a response that was fresh when it was recorded is fresh when it is played`() async throws {
    let fields: HTTPFields = [.date: "Tue, 14 Nov 2023 22:13:20 GMT", .cacheControl: "max-age=60"]
    let replay = Self.replay([Self.entry("first", fields: fields), Self.entry("second", fields: fields)])
    let clock = TestClock()
    let session = try Session.Builder().transport(replay).clock(clock).install(.cache(HTTPCache(memory: .megabytes(1))))
      .build()
    #expect(try await Self.text(session) == "first")
    clock.advance(by: .seconds(50))
    #expect(try await Self.text(session) == "first")
    #expect(replay.unusedEntries.count == 1)
    clock.advance(by: .seconds(20))
    #expect(try await Self.text(session) == "second")
  }

  @Test func `a cookie is sent until its recorded date`() async throws {
    let cookie: HTTPFields = [.setCookie: "a=b; Expires=Tue, 14 Nov 2023 22:14:20 GMT"]
    let expired: HTTPFields = [.setCookie: "c=d; Expires=Tue, 14 Nov 2023 22:13:19 GMT"]
    let replay = Self.replay([
      Self.entry("1", fields: cookie), Self.entry("2", fields: expired), Self.entry("3", fields: [:]),
      Self.entry("4", fields: [:]),
    ])
    let clock = TestClock()
    let sent = CookieLog(base: replay)
    let session = try Session.Builder().transport(sent).clock(clock).install(.cookies).build()
    for advance in [0, 30, 20, 20] {
      clock.advance(by: .seconds(advance))
      _ = try await Self.text(session)
    }
    #expect(sent.all == [nil, "a=b", "a=b", nil])
  }

  /// Keeps the cookies that are sent.
  private final class CookieLog: WrappingTransport {
    let base: any Transport
    private let cookies = Mutex<[String?]>([])

    init(base: any Transport) { self.base = base }

    var all: [String?] { cookies.withLock { $0 } }

    func send(
      _ request: OutgoingRequest, in context: TransferContext
    ) async throws(LupineError) -> TransportResponse {
      cookies.withLock { $0.append(request.headers[.cookie]) }
      return try await base.send(request, in: context)
    }
  }

  @Test func `a date of Retry-After is as far away as it was`() async throws {
    let fields: HTTPFields = [.retryAfter: "Tue, 14 Nov 2023 22:13:50 GMT"]
    let replay = Self.replay([
      Self.entry(status: .serviceUnavailable, "busy", fields: fields), Self.entry("ok", fields: [:]),
    ])
    let clock = ImmediateClock()
    let session = try Session.Builder().transport(replay).clock(clock).retrier(.backoff(limit: 1)).build()
    let text = try await session.request("https://example.com/").validate().serializingString().value
    #expect(text == "ok")
    #expect(clock.now.offset == .seconds(30))
  }

  @Test func `dates are played as they were recorded, also those of a later exchange`() async throws {
    let fields: HTTPFields = [.date: "Tue, 14 Nov 2023 22:13:30 GMT"]
    let replay = Self.replay([Self.entry("ok", fields: fields, begin: .seconds(10))])
    let session = try Session.Builder().transport(replay).clock(ImmediateClock()).build()
    let response = await session.request("https://example.com/").serializingString().response
    #expect(response.response?.headerFields == fields)
  }

  @Test func `the recording begins once on each clock, and goes on in later sessions`() throws {
    let replay = Self.replay([])
    let clock = TestClock()
    clock.advance(by: .seconds(5))
    let first = try #require(replay.date(on: clock))
    #expect(first() == Self.date)
    clock.advance(by: .seconds(7))
    let second = try #require(replay.date(on: clock))
    #expect(first() == Self.date.addingTimeInterval(7))
    #expect(second() == Self.date.addingTimeInterval(7))
    #expect(replay.date(on: TestClock())?() == Self.date)
  }

  @Test func `a simulation begins at the recorded date`() async throws {
    let fields: HTTPFields = [.retryAfter: "Tue, 14 Nov 2023 22:13:50 GMT"]
    try await withSimulation(seed: 1) { simulation in
      let replay = Self.replay([
        Self.entry(status: .serviceUnavailable, "busy", fields: fields), Self.entry("ok", fields: [:]),
      ])
      let session = try Session.Builder().transport(replay).retrier(.backoff(limit: 1)).build()
      let start = simulation.date
      _ = try await session.request("https://example.com/").validate().serializingString().value
      #expect(simulation.date.timeIntervalSince(start) == 30)
    }
  }
}
