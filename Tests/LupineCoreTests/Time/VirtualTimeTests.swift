import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineStreams
import Testing

/// Parts that depend on time use the clock of a simulation.
@Suite struct VirtualTimeTests {
  @Test func `a token expires in virtual time`() async throws {
    let sent = try await withSimulation { world in
      let tokens = TokenWorld(
        valid: ["t0", "t1"], credential: Token("t0", expires: world.date.addingTimeInterval(60)))
      let session = try Session.Builder().transport(tokens.mock).baseURL("https://api.example.com")
        .install(tokens.interceptor).build()
      for pause in [0, 59, 1] {
        try await world.sleep(for: .seconds(pause))
        _ = await session.request("items").serializingData().response
      }
      return tokens.tokens
    }
    #expect(sent == ["Bearer t0", "Bearer t0", "Bearer t1"])
  }

  @Test func `a stream of events is opened again after its time`() async throws {
    let (events, time) = try await withSimulation { world in
      let mock = MockTransport()
      let pages = ["retry: 5000\ndata: a\n\n", "data: b\n\n"].map {
        MockReply.text($0).field(.contentType, "text/event-stream")
      }
      mock.stub(.get, "/events", .sequence(pages + [.status(.noContent)]))
      let session = try Session.Builder().transport(mock).build()
      var events: [String] = []
      for try await event in session.streamRequest("https://example.com/events").serializingEvents() {
        events.append(event.data)
      }
      return (events, world.clock.now.offset)
    }
    #expect(events == ["a", "b"])
    #expect(time == .seconds(10))
  }

  @Test func `a backoff takes virtual time, and the same for the same seed`() async throws {
    func time(seed: UInt64) async throws -> Duration {
      try await withSimulation(seed: seed) { world in
        let mock = MockTransport()
        mock.stub(.get, "/", .sequence([.status(.serviceUnavailable), .reset, .text("up")]))
        let session = try Session.Builder().transport(mock).retrier(.backoff(limit: 2)).build()
        let text = try await session.request("https://example.com/").validate().serializingString().value
        try world.expect(text == "up", text)
        return world.clock.now.offset
      }
    }
    let first = try await time(seed: 1)
    #expect(first > .zero)
    #expect(try await time(seed: 1) == first)
    #expect(try await time(seed: 2) != first)
  }
}
