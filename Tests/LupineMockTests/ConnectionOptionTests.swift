import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineResilience
import Synchronization
import Testing

@Suite struct ConnectionOptionTests {
  @Test(arguments: [HTTPResponse.Status.found, .unauthorized, .badGateway], [false, true])
  func `the response of a proxy is neither followed nor answered as the server's`(
    status: HTTPResponse.Status, isHedged: Bool
  ) async throws {
    let mock = MockTransport()
    mock.stub(
      .get, "https://a.example.com/",
      .refusedByProxy(status).field(.location, "/next").field(.wwwAuthenticate, "Basic realm=x"))
    let builder = Session.Builder().transport(mock).clock(TestClock()).proxy("http://p:1")
    var hedging = Hedging()
    hedging.badStatusCodes = []
    let session = try (isHedged ? builder.install(hedging) : builder).build()
    let response = await session.request("https://a.example.com/").authenticate(username: "ali", password: "x")
      .serializingData().response
    #expect(response.response?.status == status)
    #expect(mock.requests.count == 1)
  }

  @Test func `the way that a request would have taken is recorded`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("x"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).unixSocket("/var/run/docker.sock")
      .build()
    var request = try OutgoingRequest("http://docker/info")
    request.options.priority = .high
    _ = await session.request(request).serializingData().response
    #expect(mock.requests.map(\.unixSocket) == ["/var/run/docker.sock"])
    #expect(mock.requests.map(\.priority) == [.high])
    #expect(await session.connectionPool() == nil)
  }

  /// Records the reasons for which exchanges wait.
  private final class Queue: EventMonitor {
    private let kept = Mutex<[String]>([])

    var reasons: [String] { kept.withLock { $0 } }

    func receive(_ event: SessionEvent) {
      if case .queued(let reason) = event.kind { kept.withLock { $0.append(reason) } }
    }
  }

  private static func session(
    _ mock: MockTransport, _ queue: Queue, _ path: WritableKeyPath<ConnectionOptions, Int?>
  ) throws -> Session {
    var options = ConnectionOptions()
    options[keyPath: path] = 2
    return try Session.Builder().transport(mock).connections(options).monitor(queue).build()
  }

  @Test(arguments: [true, false])
  func `the session's limits hold, and of those that wait the higher priority goes first`(isTotal: Bool) async throws {
    try await withSimulation { simulation in
      let (mock, queue) = (MockTransport(), Queue())
      mock.stub(.get, "/{n}", .text("x").delay(.seconds(1)))
      let session = try Self.session(mock, queue, isTotal ? \.total : \.perHost)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, priority) in [OutgoingRequest.Priority.normal, .normal, .low, .normal, .high].enumerated() {
          var request = try OutgoingRequest("https://\(isTotal ? "h\(number)" : "a").example.com/\(number)")
          request.options.priority = priority
          group.addTask { [request] in _ = try await session.request(request).serializingData().value }
          try await simulation.sleep(for: .milliseconds(1))
        }
        try await group.waitForAll()
      }
      try simulation.expect(mock.requests.map(\.url.path) == ["/0", "/1", "/4", "/3", "/2"], "\(mock.requests)")
      try simulation.expect(simulation.clock.now.offset == .seconds(3), "\(simulation.clock.now)")
      let reason = isTotal ? "2 exchanges are running" : "2 exchanges with this host are running"
      try simulation.expect(
        queue.reasons == Array(repeating: reason + ", the maximum", count: 3), "\(queue.reasons)")
    }
  }

  @Test func `who waits may be cancelled, or the transport shut down`() async throws {
    try await withSimulation { simulation in
      let (mock, queue) = (MockTransport(), Queue())
      mock.stub(.get, "/{n}", .stall)
      let session = try Self.session(mock, queue, \.perHost)
      let requests = (0..<5).map { session.request("https://a.example.com/\($0)") }
      let errors = try await withThrowingTaskGroup(of: LupineError.Kind?.self) { group in
        for request in requests {
          group.addTask { await request.serializingData().response.error?.kind }
          try await simulation.sleep(for: .milliseconds(1))
        }
        requests[4].cancel()
        try await simulation.sleep(for: .milliseconds(1))
        await mock.shutdown()
        return try await group.reduce(into: [LupineError.Kind?]()) { $0.append($1) }
      }
      let expected = [LupineError.Kind.cancelled] + Array(repeating: .sessionShutDown, count: 4)
      try simulation.expect(errors == expected, "\(errors)")
      try simulation.expect(mock.requests.count == 2, "\(mock.requests)")
    }
  }
}
