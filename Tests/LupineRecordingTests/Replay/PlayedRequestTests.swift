import FoundationEssentials
import HTTPTypes
import Lupine
import LupineFixtures
import LupineMock
import LupineRecording
import LupineTesting
import Testing
import TransportSupport

/// Requests whose bodies decide which exchange answers them, retries, and the default session.
@Suite(.timeLimit(.minutes(1))) struct PlayedRequestTests {
  /// Records what a mock answers to these bodies, and returns a transport that plays it.
  private static func recorded(_ bodies: [RequestBody], in folder: TemporaryFolder) async throws -> ReplayTransport {
    let mock = MockTransport()
    mock.stub(.post, "/{any...}") { .text("answer to \(String(decoding: $0.body, as: UTF8.self))") }
    let recorder = RecordingTransport(around: mock, to: folder.file("a.cassette"))
    let session = try Session.Builder().transport(recorder).clock(ImmediateClock()).build()
    for body in bodies { _ = try await post(body, in: session) }
    try await recorder.recording.finish()
    var options = ReplayOptions()
    options.matching = [.method, .url, .query, .body]
    return try await ReplayTransport(contentsOf: folder.file("a.cassette"), options: options)
  }

  private static func post(_ body: RequestBody, in session: Session) async throws -> String {
    let request = try OutgoingRequest("https://example.com/", method: .post, body: body)
    return try await session.request(request).serializingString().value
  }

  @Test func `a body chooses its exchange, whatever its kind`() async throws {
    let folder = try TemporaryFolder()
    let replay = try await Self.recorded([.text("one"), .text("two"), .text("three")], in: folder)
    let session = try Session.Builder().transport(replay).clock(ImmediateClock()).build()
    #expect(try await Self.post(.text("three"), in: session) == "answer to three")
    #expect(try await Self.post(.oneShot(Pieces([Array("tw".utf8), Array("o".utf8)])), in: session) == "answer to two")
    let file = try folder.write("one", to: "body")
    #expect(try await Self.post(.file(file), in: session) == "answer to one")
    let request = try OutgoingRequest("https://example.com/", method: .post, body: .text("four"))
    let error = await session.request(request).serializingString().response.error
    #expect(error?.kind == .unmatchedRequest)
  }

  @Test func `a retried request plays the failure, and then the answer`() async throws {
    let folder = try TemporaryFolder()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .sequence([.status(.serviceUnavailable), .text("ok")]))
    let recorder = RecordingTransport(around: mock, to: folder.file("a.cassette"))
    let builder = Session.Builder().retrier(.backoff(limit: 2))
    let scenario: (Session) async throws -> String = { session in
      try await session.request("https://example.com/").validate().serializingString().value
    }
    #expect(try await scenario(try builder.transport(recorder).clock(ImmediateClock()).build()) == "ok")
    try await recorder.recording.finish()
    let replay = try await ReplayTransport(contentsOf: folder.file("a.cassette"))
    #expect(try await scenario(try builder.transport(replay).clock(ImmediateClock()).build()) == "ok")
    #expect(replay.unusedEntries.isEmpty)
    #expect(replay.usedExchanges.entries.count == 2)
  }

  @Test func `a hedged request plays the exchange that is given up, and the one that answers`() async throws {
    let folder = try TemporaryFolder()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .sequence([.text("late").delay(.seconds(10)), .text("hedge")]))
    let recorder = RecordingTransport(around: mock, to: folder.file("a.cassette"))
    let scenario: @Sendable (any Transport) async throws -> Duration = { transport in
      try await withSimulation { simulation in
        let session = try Session.Builder().transport(transport)
          .install(.hedging(after: .seconds(2))).build()
        #expect(try await session.request("https://example.com/").serializingString().value == "hedge")
        return simulation.clock.now.offset
      }
    }
    #expect(try await scenario(recorder) == .seconds(2))
    try await recorder.recording.finish()
    let replay = try await ReplayTransport(contentsOf: folder.file("a.cassette"))
    #expect(try await scenario(replay) == .seconds(2))
    #expect(replay.unusedEntries.isEmpty)
    #expect(replay.usedExchanges.entries.map(\.end) == [.stalled, .complete(trailers: nil)])
    #expect(replay.usedExchanges.entries.map(\.begin) == [.zero, .seconds(2)])
  }

  @Test func `a token that a recorded login returns works in the requests that send it`() async throws {
    let folder = try TemporaryFolder()
    let mock = MockTransport()
    let token = "tkn-4711-0815"
    mock.stub(.post, "/login", .text(#"{"access_token":"\#(token)"}"#, contentType: "application/json"))
    mock.stub(.get, "/me") { request in
      request.headers[.authorization] == "Bearer \(token)" ? .text("Ada") : .status(.unauthorized)
    }
    var options = ReplayOptions()
    options.matching = [.method, .url, .query, .field(.authorization)]
    let scenario: (any Transport) async throws -> String = { transport in
      let session = try Session.Builder().transport(transport).clock(ImmediateClock()).baseURL("https://example.com")
        .build()
      struct Login: Decodable { let access_token: String }
      let login = try await session.request("login", method: .post).serializingDecodable(Login.self).value
      return try await session.request("me", headers: [.authorization: "Bearer \(login.access_token)"]).validate()
        .serializingString().value
    }
    let recorder = RecordingTransport(around: mock, to: folder.file("a.cassette"))
    #expect(try await scenario(recorder) == "Ada")
    try await recorder.recording.finish()
    #expect(!(try folder.text("a.cassette").contains(token)))
    #expect(
      try await scenario(try await ReplayTransport(contentsOf: folder.file("a.cassette"), options: options)) == "Ada")
  }

  @Test func `the default session plays the cassette of a test`() async throws {
    let folder = try TemporaryFolder()
    let url = try HTTPURL("https://example.com/")
    let entry = Cassette.Entry(
      request: Cassette.Request(url: url.string),
      response: Cassette.Response(head: HTTPResponse(status: .ok), body: .inline(Data("played".utf8))))
    let header = Cassette.Header(date: Date(timeIntervalSince1970: 1_700_000_000), capabilities: [.networking, .tls])
    try Cassette(header: header, entries: [entry]).write(to: folder.file("users.cassette"))
    let test = try #require(Test.current)
    try await CassetteTrait.cassette("users", in: folder.path, mode: .replay)
      .provideScope(for: test, testCase: nil) {
        let text = try await Session.default.request(url).serializingString().value
        #expect(text == "played")
      }
  }
}
