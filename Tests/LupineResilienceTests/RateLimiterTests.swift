import HTTPTypes
import LupineCore
import LupineMock
import LupineResilience
import LupineSession
import Testing

@Suite struct RateLimiterTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `no stretch of time has more than the limit`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .text("a"))
      let session = try world.session { $0.install(.rateLimit(10)) }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<35 {
          let start = Duration.milliseconds(Int64(simulation.random() % 1_500))
          group.addTask {
            try? await simulation.sleep(for: start)
            _ = await session.errors(1)
          }
        }
      }
      let starts = try #require(world.transport.all.values.first).starts
      try simulation.expect(starts.count == 35, "\(starts.count)")
      for index in starts.indices.dropLast(10) {
        try simulation.expect(starts[index + 10] - starts[index] >= .seconds(1), "\(starts)")
      }
    }
  }

  @Test func `as many as it allows begin at once`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .text("a"))
      let session = try world.session { $0.install(.rateLimit(10, per: .seconds(60))) }
      _ = await session.errors(10)
      try simulation.expect(simulation.clock.now.offset == .zero, "they waited")
    }
  }

  @Test func `each origin has turns of its own`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/{any...}", .text("a"))
      let session = try world.session { $0.install(.rateLimit(2, per: .seconds(10))) }
      for host in ["https://a.example.com/", "https://b.example.com/", "https://a.example.com:8443/"] {
        _ = await session.errors(2, host)
      }
      try simulation.expect(simulation.clock.now.offset == .zero, "one waited for another's turn")
      _ = await session.errors(1, "https://b.example.com/")
      try simulation.expect(simulation.clock.now.offset == .seconds(10), "\(simulation.clock.now.offset)")
    }
  }

  @Test func `who would wait for too long is refused at once, and takes no turn`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .text("a"))
      let session = try world.session { $0.install(RateLimiter(1, per: .seconds(10), maximumWait: .seconds(25))) }
      let errors = await session.errors(6)
      try simulation.expect(errors.count { $0 == .rateLimited } == 3, "\(errors)")
      try simulation.expect(simulation.clock.now.offset == .seconds(20), "\(simulation.clock.now)")
      try simulation.expect(
        world.policies.contains("rate limiter: delays the exchange by 10000.00 ms"), "\(world.policies)")
    }
  }

  @Test func `who is cancelled waits no longer`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .text("a"))
      let session = try world.session { $0.install(.rateLimit(1, per: .seconds(10))) }
      _ = await session.errors(1)
      let request = session.request(World.url)
      async let response = request.serializingData().response
      try await simulation.sleep(for: .seconds(1))
      request.cancel()
      let error = await response.error
      try simulation.expect(error?.kind == .cancelled, "\(String(describing: error))")
      try simulation.expect(simulation.clock.now.offset == .seconds(1), "it waited")
      try simulation.expect(world.transport.total == 1, "it was sent")
    }
  }
}
