import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineResilience
import LupineSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct CollapsingTests {
  /// Runs as many requests at the same time; returns the answers.
  private static func get(
    _ count: Int, _ session: Session, _ headers: @escaping @Sendable (Int) -> HTTPFields = { _ in [:] }
  ) async -> [Answer] {
    await withTaskGroup(of: Answer.self) { group in
      for number in 0..<count {
        group.addTask {
          await Answer(
            session.request(CacheBench.url, headers: RequestHeaders(headers(number))).serializingString().response)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private static func session(_ mock: MockTransport, _ cache: HTTPCache = HTTPCache(memory: .megabytes(8))) throws
    -> Session
  {
    try Session.Builder().transport(mock).install(.cache(cache)).build()
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `requests wait for one response`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let mock = MockTransport()
      mock.stub(
        .get, CacheBench.url,
        .cached("", "max-age=60").chunked(["o", "ne"], every: .milliseconds(300)).delay(.seconds(1)))
      let session = try Self.session(mock)
      let answers = await Self.get(20, session)
      try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
      try world.expect(mock.requests.count == 1, "\(mock.requests.count) requests")
      let collapsed = answers.count { $0.status == "fwd=uri-miss; ttl=58; collapsed" }
      try world.expect(collapsed == 19, "\(answers)")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `requests wait for one validation`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let mock = MockTransport()
      mock.stub(
        .get, CacheBench.url,
        .sequence([
          .cached("one", "max-age=1", [.eTag: "\"a\""]),
          .status(.notModified).field(.cacheControl, "max-age=60").delay(.seconds(1)),
        ]))
      let session = try Self.session(mock)
      _ = await Self.get(1, session)
      try await world.sleep(for: .seconds(5))
      let answers = await Self.get(20, session)
      try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
      try world.expect(mock.requests.count == 2, "\(mock.requests.count) requests")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `requests for a response that is not stored are sent at once after its head`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let mock = MockTransport()
      mock.stub(.get, CacheBench.url, .cached("one", "no-store").delay(.seconds(1)))
      let session = try Self.session(mock)
      let answers = await Self.get(20, session)
      try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
      try world.expect(world.clock.now.offset == .seconds(2), "\(world.clock.now.offset)")
      _ = await Self.get(20, session)
      // The later ones know, and do not wait.
      try world.expect(world.clock.now.offset == .seconds(3), "\(world.clock.now.offset)")
      try world.expect(mock.requests.count == 40, "\(mock.requests.count) requests")
    }
  }

  /// Responses that each request must validate.
  @Test(arguments: ["no-cache", "max-age=0, must-revalidate", "private, max-age=0"])
  func `requests for a response that must be validated are sent at once after its head`(control: String) async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      let whole = MockReply.cached("", control, [.eTag: "\"a\""])
        .chunked(["o", "ne"], every: .seconds(10)).delay(.seconds(1))
      let confirmation = MockReply.status(.notModified).fields([.cacheControl: control, .eTag: "\"a\""])
      mock.stub(.get, CacheBench.url) { request in
        request.headers[.ifNoneMatch] == nil ? whole : confirmation.delay(.seconds(1))
      }
      let session = try Self.session(mock)
      let answers = await Self.get(5, session)
      try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
      // The second head follows the first, and its content takes as long: no request waits for the content of another.
      try world.expect(world.clock.now.offset < .seconds(32), "\(world.clock.now.offset)")
      try world.expect(mock.requests.count == 5, "\(mock.requests.count) requests")
      let start = world.clock.now
      let later = await Self.get(5, session)
      try world.expect(later.allSatisfy { $0.status == "fwd=stale; fwd-status=304; stored" }, "\(later)")
      // The later ones know, and do not wait for each other.
      try world.expect(start.duration(to: world.clock.now) == .seconds(1), "\(start.duration(to: world.clock.now))")
    }
  }

  @Test func `requests wait for a validation again once it makes the response fresh`() async throws {
    try await withSimulation { world in
      let (mock, control) = (MockTransport(), Box("no-cache"))
      mock.stub(.get, CacheBench.url) { request in
        request.headers[.ifNoneMatch] == nil
          ? .cached("one", control.value, [.eTag: "\"a\""])
          : .status(.notModified).fields([.cacheControl: control.value, .eTag: "\"a\""]).delay(.seconds(1))
      }
      let session = try Self.session(mock)
      for _ in 0..<2 { _ = await Self.get(1, session) }
      control.value = "max-age=5"
      _ = await Self.get(1, session)
      try await world.sleep(for: .seconds(10))
      let before = mock.requests.count
      let answers = await Self.get(5, session)
      try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
      try world.expect(mock.requests.count == before + 1, "\(mock.requests.count - before) requests")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `one of the others takes the place of the first request if that is cancelled`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let mock = MockTransport()
      mock.stub(
        .get, CacheBench.url,
        .cached("", "max-age=60").chunked(["o", "ne"], every: .milliseconds(500)).delay(.seconds(1)))
      let session = try Self.session(mock)
      let first = session.request(CacheBench.url)
      let wait = Duration.milliseconds(Int64(world.random() % 1_400))
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      try await world.sleep(for: .milliseconds(1))
      async let others = Self.get(10, session)
      try await world.sleep(for: wait)
      first.cancel()
      let answers = await others
      try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
      try world.expect(await task.value.error?.kind == .cancelled, "the first request was not cancelled")
      try world.expect(mock.requests.count == 2, "\(mock.requests.count) requests after \(wait)")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `requests of different users do not wait for each other`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let mock = MockTransport()
      mock.stub(.get, CacheBench.url) { request in
        .cached(request.headers[.authorization] ?? "", "max-age=60").delay(.seconds(1))
      }
      let session = try Self.session(mock)
      let answers = await Self.get(20, session) { [.authorization: "user \($0 % 5)"] }
      try world.expect(Set(answers.map(\.text)).count == 5, "\(answers)")
      try world.expect(mock.requests.count == 5, "\(mock.requests.count) requests")
    }
  }

  @Test func `requests wait again once a response was stored`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(
        .get, CacheBench.url,
        .sequence([.cached("one", "no-store"), .cached("two", "max-age=2"), .cached("three", "max-age=60")])
          .delay(.seconds(1)))
      let session = try Self.session(mock)
      for _ in 0..<2 { _ = await Self.get(1, session) }
      try await world.sleep(for: .seconds(5))
      let answers = await Self.get(5, session)
      try world.expect(answers.allSatisfy { $0.text == "three" }, "\(answers)")
      try world.expect(mock.requests.count == 3, "\(mock.requests.count) requests")
    }
  }

  @Test func `a request does not wait for longer than the limit`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.get, CacheBench.url, .sequence([.stall, .cached("two", "max-age=60")]))
      let session = try Self.session(mock)
      let first = session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      try await world.sleep(for: .milliseconds(1))
      let answers = await Self.get(1, session)
      try world.expect(answers.first?.text == "two", "\(answers)")
      try world.expect(world.clock.now.offset == .milliseconds(5_001), "\(world.clock.now.offset)")
      first.cancel()
      _ = await task.value
    }
  }

  @Test func `a request whose transfer is hedged is released after its end`() async throws {
    try await withSimulation { world in
      let origin = PacedOrigin(data: Data("0123456789".utf8))
      let stage = try WaitingStage([origin]) { $0.install(.hedging(after: .seconds(30))) }
      let execution = try await Self.released(stage, in: world)
      try await stage.expectNothingLeft(world)
      try world.expect(execution.value == nil, "the request is kept")
    }
  }

  private struct Released: Sendable {
    weak let value: RequestExecution?
  }

  /// Performs a request whose response is stored.
  private static func released(_ stage: WaitingStage, in world: Simulation) async throws -> Released {
    let request = stage.session.request(CacheBench.url)
    let response = await request.serializingString().response
    try world.expect(response.value == "0123456789", "\(response)")
    return Released(value: request.execution)
  }
}
