import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineRecording
import LupineSession
import LupineStreams
import LupineTesting
import Testing

/// Exchanges that are played from a cassette.
@Suite(.timeLimit(.minutes(1))) struct ReplayTransportTests {
  private static let date = Date(timeIntervalSince1970: 1_700_000_000)

  private static func entry(
    _ path: String, text: String = "ok", fields: HTTPFields = [:], begin: Duration = .zero
  ) -> Cassette.Entry {
    let body = Data(text.utf8)
    return Cassette.Entry(
      request: Cassette.Request(url: "https://example.com" + path), begin: begin,
      response: Cassette.Response(
        head: HTTPResponse(status: .ok, headerFields: fields), version: .http1_1, body: .inline(body),
        chunks: [Cassette.Chunk(after: .zero, count: body.count)]))
  }

  private static func cassette(
    _ entries: [Cassette.Entry], capabilities: TransportCapabilities = [.networking, .tls],
    origin: Cassette.Origin? = nil
  ) -> Cassette {
    let origins = origin.map { ["https://example.com": $0] } ?? [:]
    return Cassette(header: .init(date: date, capabilities: capabilities, origins: origins), entries: entries)
  }

  private static func session(
    _ cassette: Cassette, _ options: ReplayOptions = ReplayOptions(), clock: some DatedClock = ImmediateClock(),
    _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> (Session, ReplayTransport) {
    let replay = ReplayTransport(cassette, options: options)
    let builder = Session.Builder().transport(replay).baseURL("https://example.com")
    return (try change(builder.clock(clock)).build(), replay)
  }

  private static func text(_ session: Session, _ path: String) async throws -> String {
    try await session.request(path).serializingString().value
  }

  @Test func `each exchange answers once, and equal requests get them in order`() async throws {
    let (session, replay) = try Self.session(
      Self.cassette([Self.entry("/a", text: "1"), Self.entry("/b", text: "b"), Self.entry("/a", text: "2")]))
    #expect(try await Self.text(session, "a") == "1")
    #expect(replay.unusedEntries.map(\.request.url) == ["https://example.com/b", "https://example.com/a"])
    #expect(try await Self.text(session, "a") == "2")
    #expect(try await Self.text(session, "b") == "b")
    let error = await session.request("a").serializingString().response.error
    #expect(error?.kind.name == "unmatchedRequest")
    #expect(error?.message.contains("LUPINE_CASSETTES=record swift test") == true)
    #expect(replay.unusedEntries.isEmpty)
  }

  @Test func `the last of equal exchanges repeats if the options say so`() async throws {
    var options = ReplayOptions()
    options.isRepeating = true
    let (session, _) = try Self.session(
      Self.cassette([Self.entry("/a", text: "1"), Self.entry("/a", text: "2")]), options)
    var texts: [String] = []
    for _ in 1...4 { texts.append(try await Self.text(session, "a")) }
    #expect(texts == ["1", "2", "2", "2"])
  }

  @Test(arguments: [1.0, 0.5, 0])
  func `times pass on the session's clock, at the pace of the options`(pace: Double) async throws {
    var entry = Self.entry("/a", text: "abc")
    entry.response?.after = .seconds(1)
    entry.response?.chunks = [.init(after: .seconds(2), count: 1), .init(after: .seconds(4), count: 2)]
    entry.duration = .seconds(6)
    var options = ReplayOptions()
    options.pace = pace
    let clock = ImmediateClock()
    let (session, _) = try Self.session(Self.cassette([entry]), options, clock: clock)
    #expect(try await Self.text(session, "a") == "abc")
    #expect(clock.now.offset == .seconds(6) * pace)
  }

  @Test func `a piece comes exactly at its time on a clock that a test moves`() async throws {
    var entry = Self.entry("/a", text: "abc")
    entry.response?.chunks = [.init(after: .zero, count: 1), .init(after: .seconds(4), count: 2)]
    entry.duration = .seconds(4)
    let clock = TestClock()
    let (session, _) = try Self.session(Self.cassette([entry]), clock: clock)
    let stream = session.streamRequest("a").serializingBytes()
    var pieces = stream.makeAsyncIterator()
    #expect(try await pieces.next() == Array("a".utf8))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(3))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    #expect(try await pieces.next() == Array("bc".utf8))
    #expect(try await pieces.next() == nil)
  }

  @Test func `dates move along with the session's date, and nothing else does`() async throws {
    let fields: HTTPFields = [
      .date: "Tue, 14 Nov 2023 22:13:20 GMT", .expires: "Tue, 14 Nov 2023 23:13:20 GMT",
      .retryAfter: "Tue, 14 Nov 2023 22:13:30 GMT", .lastModified: "Tue, 14 Nov 2023 21:13:20 GMT",
      .setCookie: "a=b; Expires=Wed, 15 Nov 2023 22:13:20 GMT; Path=/",
    ]
    let now = Self.date.addingTimeInterval(86_400.5)
    var options = ReplayOptions()
    let (session, _) = try Self.session(Self.cassette([Self.entry("/a", fields: fields)]), options) {
      $0.now { now }
    }
    let head = try #require(await session.request("a").serializingString().response.response)
    #expect(head.headerFields[.date] == "Wed, 15 Nov 2023 22:13:20 GMT")
    #expect(head.headerFields[.expires] == "Wed, 15 Nov 2023 23:13:20 GMT")
    #expect(head.headerFields[.retryAfter] == "Wed, 15 Nov 2023 22:13:30 GMT")
    #expect(head.headerFields[.lastModified] == "Tue, 14 Nov 2023 21:13:20 GMT")
    #expect(head.headerFields[.setCookie] == "a=b; Expires=Thu, 16 Nov 2023 22:13:20 GMT; Path=/")
    options.dates = .asRecorded
    let (other, _) = try Self.session(Self.cassette([Self.entry("/a", fields: fields)]), options) {
      $0.now { now }
    }
    #expect(await other.request("a").serializingString().response.response?.headerFields == fields)
  }

  @Test func `a number of seconds in Retry-After and a body's length stay`() async throws {
    let fields: HTTPFields = [.retryAfter: "120", .contentLength: "2"]
    let (session, _) = try Self.session(Self.cassette([Self.entry("/a", fields: fields)]))
    #expect(await session.request("a").serializingString().response.response?.headerFields == fields)
  }

  @Test func `the length follows a body whose secret was replaced`() async throws {
    let (session, _) = try Self.session(
      Self.cassette([Self.entry("/a", text: "REDACTED-1", fields: [.contentLength: "99"])]))
    let response = await session.request("a").serializingString().response
    #expect(response.value == "REDACTED-1")
    #expect(response.response?.headerFields[.contentLength] == "10")
  }

  @Test func `evaluators judge the recorded certificates at the recorded date`() async throws {
    let chain = [Data("leaf".utf8), Data("issuer".utf8)]
    let capabilities: TransportCapabilities = [.networking, .tls, .trustEvaluation]
    let entries = [Self.entry("/a", begin: .seconds(60))]
    let cassette = Self.cassette(entries, capabilities: capabilities, origin: .init(certificates: chain))
    let trust: (Bool) -> (Session.Builder) -> Session.Builder = { isAccepted in
      {
        $0.trust([
          "example.com": .custom { trust in
            #expect(trust.presentedChain == chain)
            #expect(trust.now == Self.date.addingTimeInterval(60))
            if !isAccepted { throw NotTrusted() }
          }
        ])
      }
    }
    let (session, _) = try Self.session(cassette, trust(true))
    #expect(try await Self.text(session, "a") == "ok")
    let (other, _) = try Self.session(cassette, trust(false))
    #expect(await other.request("a").serializingString().response.error?.kind == .certificateRejected)
    let (unknown, _) = try Self.session(Self.cassette(entries, capabilities: capabilities), trust(true))
    #expect(await unknown.request("a").serializingString().response.error?.kind == .certificateRejected)
  }

  private struct NotTrusted: Error {}

  private static func session(
    _ cassette: Cassette, _ change: (Session.Builder) -> Session.Builder
  ) throws -> (Session, ReplayTransport) {
    try session(cassette, ReplayOptions(), change)
  }

  @Test(arguments: [("192.0.2.1:443", false), ("93.184.215.14:443", true), (nil, false)] as [(String?, Bool)])
  func `a network policy judges the recorded address`(address: String?, isAllowed: Bool) async throws {
    let cassette = Self.cassette(
      [Self.entry("/a")], capabilities: [.networking, .tls, .networkPolicy], origin: .init(address: address))
    let (session, _) = try Self.session(cassette) { $0.networkPolicy(.publicInternetOnly) }
    let response = await session.request("a").serializingString().response
    #expect(response.error?.kind == (isAllowed ? nil : .addressRefused))
  }

  @Test func `a session with a proxy is built if the recorded transport supports it`() async throws {
    let proxy = try Proxy("http://proxy.example.com:3128")
    let cassette = Self.cassette([Self.entry("/a")], capabilities: [.networking, .tls, .proxies])
    let (session, _) = try Self.session(cassette) { $0.proxy(proxy) }
    #expect(try await Self.text(session, "a") == "ok")
    #expect(throws: LupineError.self) { try Self.session(Self.cassette([Self.entry("/a")])) { $0.proxy(proxy) } }
  }

  @Test func `a stalled exchange waits for a timeout of the client`() async throws {
    var entry = Self.entry("/a")
    entry.end = .stalled
    let clock = ImmediateClock()
    let (session, _) = try Self.session(Self.cassette([entry]), clock: clock) {
      $0.timeouts(idle: .seconds(7))
    }
    #expect(await session.request("a").serializingString().response.error?.kind == .timedOut(.idle))
    #expect(clock.now.offset == .seconds(7))
  }

  @Test func `an error has its kind, its message and its facts`() async throws {
    var entry = Self.entry("/a")
    entry.response = nil
    entry.end = .failed(.init(kind: "connectionLost", message: "GOAWAY.", isUnprocessed: true))
    var options = ReplayOptions()
    options.isRepeating = true
    let (session, _) = try Self.session(Self.cassette([entry]), options)
    let error = await session.request("a").serializingString().response.error
    #expect(error?.kind == .connectionLost)
    #expect(error?.isUnprocessed == true)
    #expect(error?.message.contains("GOAWAY.") == true)
  }

  @Test func `a shutdown ends what is played, and refuses what follows`() async throws {
    var entry = Self.entry("/a")
    entry.duration = .seconds(5)
    let clock = TestClock()
    let (session, replay) = try Self.session(Self.cassette([entry, entry]), clock: clock)
    async let first = session.request("a").serializingString().response.error
    await clock.waitForSleepers()
    await replay.shutdown()
    #expect(await first?.kind == .sessionShutDown)
    #expect(await session.request("a").serializingString().response.error?.kind == .sessionShutDown)
  }

  @Test func `a cancellation ends a pause at once`() async throws {
    var entry = Self.entry("/a")
    entry.response?.after = .seconds(5)
    let clock = TestClock()
    let (session, _) = try Self.session(Self.cassette([entry]), clock: clock)
    let request = session.request("a")
    async let error = request.serializingString().response.error
    await clock.waitForSleepers()
    request.cancel()
    #expect(await error?.kind == .cancelled)
    #expect(clock.sleepers == 0)
  }

  @Test func `a large body in a file plays in its pieces at the pace of its reader`() async throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .data(Data(bytes)))
    let recorder = RecordingTransport(around: mock, to: folder.file("a.cassette"))
    let session = try Session.Builder().transport(recorder).clock(ImmediateClock()).build()
    #expect(try await session.request("https://example.com/").serializingData().value.count == bytes.count)
    try await recorder.recording.finish()
    #expect(folder.names.count == 2)
    let replay = try await ReplayTransport(contentsOf: folder.file("a.cassette"))
    let player = try Session.Builder().transport(replay).clock(ImmediateClock()).build()
    var played: [UInt8] = []
    for try await piece in player.streamRequest("https://example.com/").serializingBytes() { played += piece }
    #expect(played == bytes)
  }
}
