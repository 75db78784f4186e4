import FoundationEssentials
import HTTPTypes
import Lupine
import LupineMock
import LupineRecording
import LupineTesting
import Testing
import TransportSupport

/// Responses whose bytes a script decides are recorded over each transport, and play with the same events.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct ScriptedRoundTripTests {
  @Test func `chunks, a 103 and trailers`() async throws {
    let reply = ScriptedReply.chunked([Array("one,".utf8), Array("two".utf8)], trailers: ["X-Sum": "7"])
      .preceded(by: .informational(status: 103, fields: ["Link": "</a.css>"]))
    let server = try ScriptedServer(always: reply)
    let cassette = try await Take().check { [url = server.url] session in
      [try await session.request(url).serializingString().value]
    }
    let entry = try #require(cassette.entries.first)
    #expect(entry.interim.map(\.head.status.code) == [103])
    #expect(entry.end == .complete(trailers: [try #require(HTTPField.Name("X-Sum")): "7"]))
    #expect(entry.response?.body == .inline(Data("one,two".utf8)))
    #expect(cassette.header.origins.values.first?.address == "127.0.0.1:\(server.port)")
  }

  @Test func `events arrive in the pieces in which the server sent them`() async throws {
    let (first, second) = (Gate(), Gate())
    let server = try ScriptedServer(always: [
      .head(status: 200, fields: ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"]),
      .chunk(Array("data: one\n\n".utf8)), .wait(first), .chunk(Array("data: two\n\n".utf8)), .wait(second),
      .chunk(Array("data: three\n\n".utf8)), .endChunks(),
    ])
    let cassette = try await Take().check { [url = server.url] session in
      var pieces: [String] = []
      for try await piece in session.streamRequest(url).serializingBytes() {
        pieces.append(String(decoding: piece, as: UTF8.self))
        // While the recording is made, the server waits for the reader.
        if pieces.count == 1 { first.open() } else { second.open() }
      }
      return [pieces.joined()]
    }
    #expect(cassette.entries.first?.response?.chunks.map(\.count) == [11, 11, 13])
  }

  @Test func `a reset after some bytes plays as the same error after the same bytes`() async throws {
    let server = try ScriptedServer(always: [
      .head(status: 200, fields: ["Content-Length": "100"]), .body(Array(repeating: 0x61, count: 40)), .reset,
    ])
    let cassette = try await Take().check { [url = server.url] session in
      var count = 0
      do {
        for try await piece in session.streamRequest(url).serializingBytes() { count += piece.count }
        return ["complete"]
      } catch {
        return ["\(count)", (error as? LupineError)?.kind.name ?? "another error"]
      }
    }
    guard case .failed(let failure)? = cassette.entries.first?.end else {
      return #expect(Bool(false), "\(String(describing: cassette.entries.first?.end))")
    }
    #expect(failure.kind == "connectionLost")
    #expect(failure.fault == ".reset(afterBytes: 40)")
  }

  @Test func `an upload that a response cuts is marked, and plays as far as it was sent`() async throws {
    // The server answers after the first bytes of the body, so that they have been sent.
    let answer = ScriptedReply([
      .readBody(upTo: 4), .head(status: 413, fields: ["Content-Length": "3", "Connection": "close"]),
      .body(Array("big".utf8)),
    ])
    let server = try ScriptedServer(readsBody: false) { _ in answer }
    let scenario: @Sendable (Session) async throws -> [String] = { [url = server.url] session in
      // The stream never ends.
      let body = RequestBody.stream { AsyncStream<[UInt8]> { $0.yield(Array("some".utf8)) } }
      let response = await session.request(try OutgoingRequest(url, method: .post, body: body)).serializingString()
        .response
      return [response.value ?? "", "\(response.response?.status.code ?? 0)"]
    }
    let cassette = try await Take().check(scenario)
    let entry = try #require(cassette.entries.first)
    #expect(entry.response?.head.status.code == 413)
    #expect(entry.response?.body == .inline(Data("big".utf8)))
    #expect(entry.request.isCut)
    #expect(entry.request.body == .inline(Data("some".utf8)))
  }

  @Test func `a request is sent again after the loss of a reused connection, in a replay as well`() async throws {
    let server = try ScriptedServer { request in
      switch request.number {
      case 0: .respond(body: .text("first"))
      case 1: .closeBeforeHead
      default: .respond(body: .text("again"))
      }
    }
    let cassette = try await Take().check { [url = server.url] session in
      var results: [String] = []
      for _ in 0..<2 { results.append(try await session.request(url).serializingString().value) }
      return results
    }
    #expect(cassette.entries.count == 3)
    #expect(cassette.entries.map(\.isConnectionReused) == [false, true, false])
  }

  @Test func `a refused connection plays as the same error, and the body stays unsent`() async throws {
    let server = try ScriptedServer(always: .respond())
    let url = server.url
    server.stop()
    let cassette = try await Take().check { session in
      let request = try OutgoingRequest(url, method: .post, body: .text("hello"))
      let error = await session.request(request).serializingString().response.error
      return [error?.kind.name ?? "none"]
    }
    #expect(cassette.entries.first?.response == nil)
    guard case .failed(let failure)? = cassette.entries.first?.end else { return #expect(Bool(false)) }
    #expect(failure.kind == "connectionRefused")
    #expect(failure.fault == ".connectionRefused")
  }

  @Test func `a timeout of the client is recorded as a stall, and ends the played exchange as well`() async throws {
    let server = try ScriptedServer(always: [
      .head(status: 200, fields: ["Content-Length": "100"]), .body(Array("hello".utf8)), .stall,
    ])
    var take = try Take()
    let clock = TestClock()
    take.recordingClock = clock
    take.configure = { $0.timeouts(total: .seconds(1)) }
    let cassette = try await take.check { [url = server.url] session in
      var count = 0
      do {
        for try await piece in session.streamRequest(url).serializingBytes() {
          count += piece.count
          if count == 5 { clock.advance(by: .seconds(1)) }
        }
        return ["complete"]
      } catch {
        return ["\(count)", (error as? LupineError)?.kind.name ?? "another error"]
      }
    }
    #expect(cassette.entries.first?.end == .stalled)
    #expect(cassette.entries.first?.response?.body == .inline(Data("hello".utf8)))
  }

  @Test func `pieces play at their recorded times in virtual time`() async throws {
    let take = try Take()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("").chunked(Array(repeating: "x", count: 20), every: .milliseconds(50)))
    let clock = ImmediateClock()
    let recorder = RecordingTransport(around: mock, to: take.path)
    let session = try Session.Builder().transport(recorder).clock(clock).build()
    _ = try await session.request("https://example.com/").serializingString().value
    try await recorder.recording.finish()
    let recorded = try #require(try take.cassette.entries.first?.response?.chunks)
    #expect(recorded.map(\.after) == (0..<20).map { .milliseconds(50) * $0 })

    let replay = try await ReplayTransport(contentsOf: take.path)
    let playClock = ImmediateClock()
    let arrivals = Arrivals(base: replay, clock: playClock)
    let player = try Session.Builder().transport(arrivals).clock(playClock).build()
    _ = try await player.request("https://example.com/").serializingString().value
    #expect(arrivals.all == recorded)
    #expect(playClock.now.offset == .milliseconds(950))
  }
}
