import HTTPTypes
import LupineCore
import LupineMock
import LupineResilience
import LupineSession
import Testing

@Suite struct ConcurrencyLimiterTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `at most the limit are under way, and all succeed`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { simulation in
      let world = World(simulation)
      // The delay is in the body: the limiter frees a place at the last byte, not at the head.
      world.mock.stub(.get, "/", .text("").chunked(["a", "b", "c"], every: .milliseconds(500)))
      let limiter = ConcurrencyLimiter(limit: 3)
      let session = try world.session { $0.install(limiter) }
      let errors = await session.errors(10)
      try simulation.expect(errors.allSatisfy { $0 == nil }, "\(errors)")
      try simulation.expect(world.transport.most == 3, "\(world.transport.most) at once")
      try simulation.expect(simulation.clock.now.offset == .seconds(4), "\(simulation.clock.now)")
      let load = limiter.load(of: try HTTPURL(World.url))
      try simulation.expect(load == (0, 0), "\(load) are left")
      try simulation.expect(world.policies.count == 7, "\(world.policies)")
    }
  }

  @Test func `each origin has places of its own`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .text("a").delay(.seconds(1)))
      let session = try world.session { $0.install(.concurrencyLimit(1)) }
      async let first = session.errors(2, "https://a.example.com/")
      async let second = session.errors(2, "https://b.example.com/")
      _ = await (first, second)
      try simulation.expect(simulation.clock.now.offset == .seconds(2), "\(simulation.clock.now)")
    }
  }

  @Test func `a queue that is full refuses at once`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .text("a").delay(.seconds(1)))
      let session = try world.session { $0.install(.concurrencyLimit(2, queueLimit: 3)) }
      let errors = await session.errors(9)
      try simulation.expect(errors.count { $0 == .concurrencyLimited } == 4, "\(errors)")
      try simulation.expect(errors.count { $0 == nil } == 5, "\(errors)")
    }
  }

  @Test func `a cancelled waiter leaves the queue, and the next one follows`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .text("a").delay(.seconds(1)))
      let limiter = ConcurrencyLimiter(limit: 1)
      let session = try world.session { $0.install(limiter) }
      async let first = session.errors(1)
      try await simulation.sleep(for: .milliseconds(1))
      let waiting = session.request(World.url)
      async let second = waiting.serializingData().response
      try await simulation.sleep(for: .milliseconds(1))
      async let third = session.errors(1)
      try await simulation.sleep(for: .milliseconds(1))
      waiting.cancel()
      let error = await second.error
      try simulation.expect(error?.kind == .cancelled, "\(String(describing: error))")
      try simulation.expect(simulation.clock.now.offset == .milliseconds(3), "it waited")
      let rest = await (first, third)
      try simulation.expect(rest.0 == [nil] && rest.1 == [nil], "\(rest)")
      try simulation.expect(world.transport.total == 2, "\(world.transport.total)")
      try simulation.expect(limiter.load(of: try HTTPURL(World.url)) == (0, 0), "somebody is left")
    }
  }

  @Test func `a failure gives the place back`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .sequence([.reset, .text("abc").reset(afterBytes: 1), .stall, .text("up")]))
      let session = try world.session { $0.install(.concurrencyLimit(1)).timeouts(idle: .seconds(1)) }
      for expected in [LupineError.Kind.connectionLost, .connectionLost, .timedOut(.idle), nil] {
        let error = await session.errors(1)
        try simulation.expect(error == [expected], "\(error)")
      }
    }
  }
}
