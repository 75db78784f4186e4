import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineResilience
import Testing

@Suite struct ResilienceTests {
  @Test func `all parts together retry, and give up in time`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .sequence([.reset, .stall, .text("up")]))
      world.mock.stub(.get, "/slow", .stall)
      let session = try world.session { $0.install(.resilience()) }
      let value = try await session.request(World.url).serializingString().value
      try simulation.expect(value == "up", value)
      let errors = await session.errors(1, World.url + "slow")
      try simulation.expect(errors == [.timedOut(.total)], "\(errors)")
    }
  }

  @Test func `the timeouts are set beside the others`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .stall)
      for (attempt, total, kind) in [(4, 5, LupineError.Timeout.idle), (2, 5, .attempt), (2, 1, .total)] {
        let plugin = Resilience {
          $0.retryPolicy = nil
          $0.attemptTimeout = .seconds(attempt)
          $0.totalTimeout = .seconds(total)
        }
        let session = try world.session { $0.timeouts(idle: .seconds(3)).install(plugin) }
        let errors = await session.errors(1)
        try simulation.expect(errors == [.timedOut(kind)], "\(errors)")
      }
    }
  }

  @Test(arguments: [false, true])
  func `the session's timeouts replace only the same timeouts of the plugins`(isFirst: Bool) async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .stall)
      let plugin = Resilience { $0.retryPolicy = nil }
      let bounds: [(Duration?, LupineError.Timeout, Int)] = [(nil, .attempt, 10), (.seconds(3), .total, 3)]
      for (total, kind, seconds) in bounds {
        let begin = simulation.clock.now.offset
        let session = try world.session {
          isFirst
            ? $0.timeouts(connect: .seconds(5), total: total).install(plugin)
            : $0.install(plugin).timeouts(connect: .seconds(5), total: total)
        }
        let errors = await session.errors(1)
        try simulation.expect(errors == [.timedOut(kind)], "\(errors)")
        try simulation.expect(simulation.clock.now.offset - begin == .seconds(seconds), "\(simulation.clock.now)")
      }
    }
  }

  @Test func `the order of the parts does not depend on the order of installation`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .sequence([.text("slow").delay(.seconds(30)), .text("fast")]))
      let breaker = CircuitBreaker()
      let session = try world.session {
        $0.install(breaker).install(.rateLimit(1, per: .seconds(7))).install(.hedging(after: .seconds(2)))
          .install(.concurrencyLimit(2))
      }
      let value = await session.request(World.url).serializingString().response.value
      try simulation.expect(value == "fast", "\(String(describing: value))")
      // The hedge is due at second 2, and the rate limiter delays it to second 7.
      try simulation.expect(simulation.clock.now.offset == .seconds(7), "\(simulation.clock.now)")
      try simulation.expect(
        world.policies == [
          "hedging: sends the exchange again: no response arrived within 2000.00 ms",
          "rate limiter: delays the exchange by 5000.00 ms",
        ], "\(world.policies)")
    }
  }

  @Test func `a part that is set to nil is left out`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .status(.serviceUnavailable))
    let plugin = Resilience {
      $0.retryPolicy = nil
      $0.circuitBreaker = nil
    }
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).install(plugin).build()
    for _ in 0..<50 { _ = await session.request("https://a.example.com/").serializingData().response }
    #expect(mock.requests.count == 50)
  }
}
