import HTTPTypes
import LupineCoding
import LupineCore
import LupineMock
import LupineResilience
import LupineSession
import LupineStreams
import LupineSupport
import LupineTransfers
import Testing

@Suite struct CircuitBreakerTests {
  private static let url = "https://a.example.com/"

  private let mock = MockTransport()
  private let clock = ImmediateClock()
  private let exchanges = ExchangeLogMonitor()
  private let breaker = CircuitBreaker(
    CircuitBreaker.Configuration {
      $0.minimumThroughput = 4
      $0.breakDuration = .seconds(5)
      $0.maximumBreakDuration = .seconds(15)
    })

  private func session(_ reply: MockReply) throws -> Session {
    mock.stub([.get, .post], "/{any...}", reply)
    return try Session.Builder().transport(mock).clock(clock).timeouts(idle: .seconds(3)).monitor(exchanges)
      .install(breaker).build()
  }

  private func kind(_ session: Session, _ url: String = Self.url) async -> LupineError.Kind? {
    await session.request(url).validate().serializingData().response.error?.kind
  }

  @Test(arguments: [
    MockReply.status(.serviceUnavailable), .status(.tooManyRequests), .reset, .text("abc").reset(afterBytes: 1),
  ])
  func `failures open the circuit, and nothing is sent then`(reply: MockReply) async throws {
    let session = try session(reply)
    for _ in 0..<4 { #expect(await kind(session) != .circuitOpen) }
    #expect(!breaker.isClosed(for: try HTTPURL(Self.url)))
    for _ in 0..<3 { #expect(await kind(session) == .circuitOpen) }
    #expect(mock.requests.count == 4)
  }

  @Test(arguments: [MockReply.status(.notFound), .text("fine"), .status(.unauthorized)])
  func `responses without a server error do not open the circuit`(reply: MockReply) async throws {
    let session = try session(reply)
    for _ in 0..<30 { _ = await kind(session) }
    #expect(mock.requests.count == 30)
  }

  @Test func `errors of the session do not open the circuit`() async throws {
    let session = try session(.failure(.configuration([])))
    for _ in 0..<30 { _ = await kind(session) }
    #expect(mock.requests.count == 30)
  }

  @Test func `fewer failures than the ratio open nothing`() async throws {
    let session = try session(.sequence([.text("a"), .text("b"), .text("c"), .reset, .text("d")]))
    for _ in 0..<9 { _ = await kind(session) }
    #expect(mock.requests.count == 9)
  }

  @Test func `after the break a probe decides, and each break is twice as long up to the longest`() async throws {
    let session = try session(.sequence(Array(repeating: .reset, count: 7) + [.text("up")]))
    for _ in 0..<4 { _ = await kind(session) }
    for seconds in [5, 10, 15] {
      try await clock.sleep(for: .seconds(seconds) - .milliseconds(1))
      #expect(await kind(session) == .circuitOpen)
      try await clock.sleep(for: .milliseconds(1))
      #expect(await kind(session) == .connectionLost)
    }
    try await clock.sleep(for: .seconds(15))
    #expect(await kind(session) == nil)
    #expect(breaker.isClosed(for: try HTTPURL(Self.url)))
    #expect(await kind(session) == nil)
  }

  @Test func `a probe that streams closes the circuit with its head`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      let stream = MockReply.text("first\nsecond\n").stall(afterBytes: 6)
      world.mock.stub(.get, "/", .sequence([.reset, .reset, stream, .text("up")]))
      let breaker = CircuitBreaker(CircuitBreaker.Configuration { $0.minimumThroughput = 2 })
      let session = try world.session { $0.install(breaker) }
      _ = await session.errors(2)
      try await simulation.sleep(for: .seconds(5))
      for try await line in session.streamRequest(World.url).serializingLines() {
        try simulation.expect(line == "first", line)
        let errors = await session.errors(2)
        try simulation.expect(errors == [nil, nil], "\(errors)")
        break
      }
    }
  }

  @Test func `failures of long ago are forgotten`() async throws {
    let session = try session(.reset)
    for _ in 0..<9 {
      _ = await kind(session)
      try await clock.sleep(for: .seconds(15))
    }
    #expect(mock.requests.count == 9)
  }

  @Test func `each origin has a circuit of its own, and sessions share them`() async throws {
    let session = try session(.reset)
    for _ in 0..<4 { _ = await kind(session) }
    #expect(await kind(session, "https://b.example.com/") == .connectionLost)
    #expect(await kind(session, "http://a.example.com/") == .connectionLost)
    let other = try Session.Builder().transport(mock).clock(clock).install(breaker).build()
    #expect(await kind(other) == .circuitOpen)
  }

  @Test func `the exchange log has the decisions of the breaker`() async throws {
    let session = try session(.sequence([.reset, .reset, .reset, .reset, .text("up")]))
    for _ in 0..<5 { _ = await kind(session) }
    try await clock.sleep(for: .seconds(5))
    _ = await kind(session)
    let told = exchanges.logs.flatMap(\.decisions).filter { $0.kind == .policy }.map(\.text)
    #expect(
      told == [
        "circuit breaker: opens the circuit of https://a.example.com for 5000.00 ms: 4 of 4 failed",
        "circuit breaker: refuses the exchange: the circuit of https://a.example.com is open for another 5000.00 ms",
        "circuit breaker: admits an exchange as a probe of https://a.example.com",
        "circuit breaker: closes the circuit of https://a.example.com",
      ])
  }

  @Test func `a redirect's target has its own circuit`() async throws {
    mock.stub(.get, "https://a.example.com/away", priority: 1, .redirect(to: "https://b.example.com/"))
    mock.stub(.get, "https://b.example.com/", priority: 1, .reset)
    let session = try session(.text("fine"))
    for _ in 0..<5 { _ = await kind(session, "https://a.example.com/away") }
    #expect(!breaker.isClosed(for: try HTTPURL("https://b.example.com/")))
    #expect(await kind(session) == nil)
  }

  @Test(arguments: [LupineError.Kind.timedOut(.idle), .timedOut(.total)])
  func `exchanges that time out are failures`(kind: LupineError.Kind) async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .stall)
      let breaker = CircuitBreaker(CircuitBreaker.Configuration { $0.minimumThroughput = 4 })
      let total = Duration.seconds(kind == .timedOut(.total) ? 2 : 9)
      let session = try world.session { $0.install(breaker).timeouts(idle: .seconds(3), total: total) }
      for expected in Array(repeating: kind, count: 4) + [.circuitOpen] {
        let errors = await session.errors(1)
        try simulation.expect(errors == [expected], "\(errors)")
      }
    }
  }

  @Test func `cancelled requests do not count for the breaker`() async throws {
    try await withSimulation { simulation in
      let world = World(simulation)
      world.mock.stub(.get, "/", .stall)
      let breaker = CircuitBreaker(CircuitBreaker.Configuration { $0.minimumThroughput = 2 })
      let session = try world.session { $0.install(breaker) }
      for _ in 0..<9 {
        let request = session.request(World.url)
        async let response = request.serializingData().response
        try await simulation.sleep(for: .milliseconds(10))
        request.cancel()
        _ = await response
      }
      try simulation.expect(world.transport.total == 9, "\(world.transport.total)")
    }
  }
}
