import HTTPTypes
import LupineCore
import LupineMock
import LupineResilience
import LupineSession
import Testing

@Suite struct PolicyKeyTests {
  private static let gateway = "https://gateway.example.com"

  private func session(_ mock: MockTransport, _ plugin: any Plugin) throws -> Session {
    try Session.Builder().transport(mock).clock(ImmediateClock()).install(plugin).build()
  }

  private func kind(of path: String, _ session: Session, service: String = "a") async -> LupineError.Kind? {
    await session.request(Self.gateway + path, headers: [.init("X-Service"): service]).serializingData().response.error?
      .kind
  }

  private static let service = PolicyKey.custom { request in
    request.headers[values: .init("X-Service") ?? .accept].first ?? "none"
  }

  @Test(arguments: [
    (PolicyKey.origin, [true, true, true, true]), (.path(), [true, true, false, false]),
    (.path(segments: 2), [true, false, false, false]), (.path(segments: 0), [true, true, true, true]),
    (.path(segments: -1), [true, true, true, true]), (Self.service, [true, true, true, false]),
  ])
  func `an open circuit refuses the exchanges with its key alone`(key: PolicyKey, refused: [Bool]) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/orders/1", .text("failed", status: .internalServerError))
    mock.stub(.get, "/{rest...}", count: .optional, .text("done"))
    let breaker = CircuitBreaker(
      .init {
        $0.minimumThroughput = 2
        $0.key = key
      })
    let session = try session(mock, breaker)
    for _ in 0..<2 { #expect(await kind(of: "/orders/1", session) == nil) }
    var kinds: [Bool] = []
    for (path, service) in [("/orders/1", "a"), ("/orders/2", "a"), ("/users/1", "a"), ("/users/1", "b")] {
      kinds.append(await kind(of: path, session, service: service) == .circuitOpen)
    }
    #expect(kinds == refused)
  }

  @Test func `the message of an open circuit names its key`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/orders/1", .text("failed", status: .internalServerError))
    let breaker = CircuitBreaker(
      .init {
        $0.minimumThroughput = 1
        $0.key = .path()
      })
    let session = try session(mock, breaker)
    _ = await kind(of: "/orders/1", session)
    #expect(breaker.isClosed(for: try HTTPURL(Self.gateway + "/users")))
    #expect(!breaker.isClosed(for: try HTTPURL(Self.gateway + "/orders/7?a=b")))
    let error = await session.request(Self.gateway + "/orders/1").serializingData().response.error
    #expect(error?.message.contains("https://gateway.example.com/orders has failed too often") == true)
  }

  @Test func `a rate limiter counts the exchanges with one key`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{rest...}", .text("done"))
    let session = try session(
      mock, RateLimiter(1, per: .seconds(60), maximumWait: .zero, key: .path()))
    #expect(await kind(of: "/orders/1", session) == nil)
    #expect(await kind(of: "/orders/2", session) == .rateLimited)
    #expect(await kind(of: "/users/1", session) == nil)
  }

  @Test func `a concurrency limiter counts the exchanges with one key`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.get, "/orders", .text("slow").delay(.seconds(9)))
      mock.stub(.get, "/users", .text("fast"))
      let limiter = ConcurrencyLimiter(limit: 1, queueLimit: 0, key: .path())
      let session = try Session.Builder().transport(mock).install(limiter).build()
      async let first = session.request(Self.gateway + "/orders").serializingString().value
      try await world.sleep(for: .seconds(1))
      try world.expect(limiter.load(of: try HTTPURL(Self.gateway + "/orders/7")).running == 1, "orders")
      try world.expect(limiter.load(of: try HTTPURL(Self.gateway + "/users")).running == 0, "users")
      let second = await session.request(Self.gateway + "/orders").serializingString().response
      try world.expect(second.error?.kind == .concurrencyLimited, "\(second.result)")
      let other = try await session.request(Self.gateway + "/users").serializingString().value
      try world.expect(other == "fast", other)
      _ = try await first
    }
  }
}
