import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Testing

/// Random latency, which is drawn again for each reply, in all the ways to define replies.
@Suite struct PaceTests {
  /// One way to define the replies of a stub.
  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let stub: @Sendable (MockTransport, UInt64) -> Void

    init(_ name: String, _ stub: @escaping @Sendable (MockTransport, UInt64) -> Void) {
      (testDescription, self.stub) = (name, stub)
    }
  }

  private static func slow(_ reply: MockReply, _ seed: UInt64) -> MockReply {
    reply.latency(.uniform(.seconds(1)...(.seconds(5))), seed: seed)
  }

  private static let ways = [
    Way("a fixed reply") { $0.stub(.get, "/", slow(.text("a"), $1)) },
    Way("a closure") { mock, seed in mock.stub(.get, "/") { _ in slow(.text("a"), seed) } },
    Way("a closure in its own time") { mock, seed in
      mock.stub(.get, "/") { _ async in
        await Task.yield()
        return slow(.text("a"), seed)
      }
    },
    Way("a sequence") { mock, seed in
      mock.stub(.get, "/", .sequence((0..<5).map { slow(.text("\($0)"), seed) }))
    },
    Way("a resource") { $0.stub(.get, "/", slow(.resource(Data("abc".utf8), etag: "v1"), $1)) },
    Way("a stub for each request") { mock, seed in
      for _ in 0..<5 { mock.stub(.get, "/", count: .once, slow(.text("a"), seed)) }
    },
  ]

  /// The durations of five requests.
  private static func times(_ way: Way, seed: UInt64, world: Simulation? = nil) async throws -> [Duration] {
    let clock = ImmediateClock()
    func passed() -> Duration { world?.clock.now.offset ?? clock.now.offset }
    let mock = MockTransport()
    way.stub(mock, seed)
    let builder = Session.Builder().transport(mock)
    let session = try world == nil ? builder.clock(clock).build() : builder.build()
    var times: [Duration] = []
    for _ in 0..<5 {
      let before = passed()
      _ = try await session.request("https://example.com/").serializingData().value
      times.append(passed() - before)
    }
    return times
  }

  @Test(arguments: ways) func `latency is random for each reply`(way: Way) async throws {
    let first = try await Self.times(way, seed: 1)
    #expect(Set(first).count == 5)
    #expect(try await Self.times(way, seed: 1) == first)
    #expect(try await Self.times(way, seed: 2) != first)
  }

  @Test(arguments: ways) func `latency is random for exchanges that a simulation delays`(way: Way) async throws {
    let delays = (1...5).map { InjectedFault(exchange: $0, .delay(.seconds(1))) }
    let times = try await withSimulation(seed: 7, faults: delays) { world in
      try await Self.times(way, seed: 1, world: world)
    }
    #expect(Set(times).count == 5)
    #expect(times.allSatisfy { (.seconds(2)...(.seconds(6))).contains($0) })
  }
}
