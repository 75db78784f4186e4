import LupineCore
import LupineMock
@testable import LupineSession
import Testing

@testable import Lupine

/// The process has one default session, so these tests share one replacement for that session.
@Suite struct DefaultSessionTests {
  struct Flower: Codable, Equatable {
    var name: String
  }

  /// The session that replaces the default session before its first use.
  static let replacement = Result {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/flower", .json(Flower(name: "lupine")))
    mock.stub(.post, "https://example.com/echo") { .text($0.text) }
    let session = try Session.Builder().transport(mock).build()
    try session.useAsDefault()
    return session
  }

  @Test func `a session takes the default one's place`() throws {
    let replacement = try Self.replacement.get()
    #expect(Session.default === replacement)
  }

  @Test func `the default session is replaced once`() throws {
    _ = try Self.replacement.get()
    let other = try Session.Builder().transport(MockTransport()).build()
    let error = #expect(throws: LupineError.self) { try other.useAsDefault() }
    #expect(error?.message.contains("replaced") == true)
    #expect(Session.default !== other)
  }

  @Test func `an override leaves the shared default session alone`() async throws {
    let holder = DefaultSession()
    let mock = MockTransport()
    let override: @Sendable (any Transport) -> any Transport = { _ in mock }
    let (shared, own) = try await TransportOverride.wrapping(override) {
      (holder.session(), try Session.Builder().standardDefaults().build())
    }
    // The mock has no pool of connections.
    #expect(await shared.connectionPool() != nil)
    #expect(await own.connectionPool() == nil)
  }

  @Test func `a default session that was replaced outside an override fails within it`() async throws {
    let replacement = try Self.replacement.get()
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/flower", .text("of the override"))
    try await TransportOverride.wrapping { _ in
      mock
    } operation: {
      #expect(Session.default !== replacement)
      let error = await Lupine.request("https://example.com/flower").serializingString().response.error
      guard case .configuration = error?.kind else { Issue.record("\(String(describing: error))"); return }
      #expect(error?.message.contains("useAsDefault()") == true)
      // One that replaces it within the override is used.
      try await TransportOverride.wrapping {
        $0
      } operation: {
        let own = try Session.Builder().transport(MockTransport()).build()
        try own.useAsDefault()
        #expect(Session.default === own)
        let text = try await Lupine.request("https://example.com/flower").serializingString().value
        #expect(text == "of the override")
        #expect(throws: LupineError.self) { try Session.ephemeral.useAsDefault() }
      }
    }
    #expect(mock.requests.count == 1)
    #expect(Session.default === replacement)
  }

  @Test func `each override has one default session of its own`() async throws {
    let holder = DefaultSession()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("mocked"))
    try await TransportOverride.wrapping { _ in
      mock
    } operation: {
      let first = DefaultSession.current(holder)
      #expect(first === DefaultSession.current(holder))
      let text = try await first.request("https://example.com/").serializingString().value
      #expect(text == "mocked")
      await TransportOverride.wrapping {
        $0
      } operation: {
        #expect(DefaultSession.current(holder) !== first)
      }
    }
  }

  @Test func `a simulation leaves the default session alone`() async throws {
    let (clock, own) = try await withSimulation { _ in
      (DefaultSession().session().clock.clock, try Session.Builder().standardDefaults().build().clock.clock)
    }
    #expect(!(clock is SimulationClock))
    #expect(own is SimulationClock)
  }

  @Test func `a default session that has been used is not replaced`() throws {
    let holder = DefaultSession()
    let used = holder.session()
    let other = try Session.Builder().transport(MockTransport()).build()
    #expect(throws: LupineError.self) { try holder.replace(with: other) }
    #expect(holder.session() === used)
  }

  @Test func `ephemeral sessions are new each time`() throws {
    _ = try Self.replacement.get()
    let session = Session.ephemeral
    #expect(session !== Session.ephemeral)
    #expect(session !== Session.default)
  }

  @Test func `Lupine.request uses the default session`() async throws {
    _ = try Self.replacement.get()
    let request = Lupine.request("https://example.com/flower")
    #expect(try await request.serializingDecodable(Flower.self).value == Flower(name: "lupine"))
  }

  @Test func `Lupine.request takes parameters of any shape`() async throws {
    _ = try Self.replacement.get()
    #expect(
      try await text(Lupine.request(url, method: .post, parameters: ["a": [1, 2]], encoder: .json)) == #"{"a":[1,2]}"#)
    let flower = Flower(name: "lupine")
    #expect(try await text(Lupine.request(url, method: .post, parameters: flower)) == "name=lupine")
    let values: [String: any Encodable & Sendable] = ["name": flower.name, "count": 2]
    #expect(try await text(Lupine.request(url, method: .post, parameters: values)) == "count=2&name=lupine")
  }

  @Test func `Lupine.request takes a route`() async throws {
    _ = try Self.replacement.get()
    let route = try OutgoingRequest(url, method: .post, body: .text("a route"))
    #expect(try await text(Lupine.request(route)) == "a route")
  }

  private let url = "https://example.com/echo"

  private func text(_ request: DataRequest) async throws -> String {
    try await request.serializingString().value
  }
}
