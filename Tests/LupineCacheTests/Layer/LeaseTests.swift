import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineMock
import LupineRedis
import LupineSession
import LupineSupport
import Synchronization
import Testing

@testable import LupineCache

/// Caches of several machines that share a store with leases.
@Suite(.timeLimit(.minutes(1))) struct LeaseTests {
  /// A store that several caches share.
  private struct LeasedStore: WrappingStore {
    let base = MemoryResponseStore(size: .megabytes(8))
    let held = HeldLeases()
    var leases: (any ResponseLeases)? { held }
  }

  private final class HeldLeases: ResponseLeases {
    private struct State {
      var tokens: [String: String] = [:]
      var count = 0
      var error: LupineError?
      var beforeAcquisition: @Sendable () async -> Void = {}
      var beforeRelease: @Sendable () async -> Void = {}
    }

    private let state = Mutex(State())

    /// The keys whose lease someone has.
    var keys: [String] { state.withLock { Array($0.tokens.keys) } }

    func fail(_ error: LupineError) { state.withLock { $0.error = error } }

    func beforeAcquisition(_ action: @escaping @Sendable () async -> Void) {
      state.withLock { $0.beforeAcquisition = action }
    }

    func beforeRelease(_ action: @escaping @Sendable () async -> Void) { state.withLock { $0.beforeRelease = action } }

    func acquireLease(for key: String, lifetime: Duration) async throws(LupineError) -> ResponseLease? {
      await state.withLock { $0.beforeAcquisition }()
      return try state.withLock { (state) throws(LupineError) in
        if let error = state.error { throw error }
        guard state.tokens[key] == nil else { return nil }
        state.count += 1
        state.tokens[key] = "\(state.count)"
        return ResponseLease(key: key, token: "\(state.count)")
      }
    }

    func release(_ lease: ResponseLease) async throws(LupineError) -> Bool {
      await state.withLock { $0.beforeRelease }()
      return state.withLock { state in
        guard state.tokens[lease.key] == lease.token else { return false }
        state.tokens[lease.key] = nil
        return true
      }
    }
  }

  /// Makes the sessions of some machines.
  private static func machines(
    _ count: Int, _ store: any ResponseStore, _ mock: MockTransport,
    _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws -> [Session] {
    try (0..<count).map { _ in
      let cache = try HTTPCache(store: store, hashKey: CacheBench.key)
      return try change(Session.Builder().transport(mock).install(.cache(cache))).build()
    }
  }

  /// Sends requests on all machines at the same time.
  private static func get(_ sessions: [Session], _ count: Int = 3) async -> [Answer] {
    await withTaskGroup(of: Answer.self) { group in
      for session in sessions {
        for _ in 0..<count {
          group.addTask { await Answer(session.request(CacheBench.url).serializingString().response) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>) func `a fleet fetches a response once`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let (mock, store) = (MockTransport(), LeasedStore())
      mock.stub(
        .get, CacheBench.url,
        .cached("", "max-age=60").chunked(["o", "ne"], every: .milliseconds(300)).delay(.seconds(1)))
      let sessions = try Self.machines(4, store, mock)
      let answers = await Self.get(sessions)
      try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
      try world.expect(mock.requests.count == 1, "\(mock.requests.count) requests")
      for session in sessions { await session.finishBackgroundTasks() }
      try world.expect(store.held.keys.isEmpty, "\(store.held.keys)")
    }
  }

  @Test func `a fleet validates and refreshes a response once`() async throws {
    for control in ["max-age=1", "max-age=1, stale-while-revalidate=60"] {
      try await withSimulation { world in
        let (mock, store) = (MockTransport(), LeasedStore())
        mock.stub(
          .get, CacheBench.url,
          .sequence([
            .cached("one", control, [.eTag: "\"a\""]),
            .status(.notModified).fields([.cacheControl: "max-age=60", .eTag: "\"a\""]).delay(.seconds(1)),
          ]))
        let sessions = try Self.machines(4, store, mock)
        _ = await Self.get([sessions[0]], 1)
        for session in sessions { await session.finishBackgroundTasks() }
        try await world.sleep(for: .seconds(5))
        let answers = await Self.get(sessions)
        try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
        for session in sessions { await session.finishBackgroundTasks() }
        try world.expect(mock.requests.count == 2, "\(mock.requests.count) requests")
        try world.expect(store.held.keys.isEmpty, "\(store.held.keys)")
      }
    }
  }

  @Test func `the lease is given back if nothing is stored or the request fails`() async throws {
    for reply in [
      MockReply.cached("one", "no-store"), .failure(.connectionLost), .cached("one", "max-age=60").reset(afterBytes: 1),
    ] {
      try await withSimulation { world in
        let (mock, store) = (MockTransport(), LeasedStore())
        mock.stub(.get, CacheBench.url, reply)
        let sessions = try Self.machines(1, store, mock)
        _ = await Self.get(sessions, 1)
        for session in sessions { await session.finishBackgroundTasks() }
        try world.expect(store.held.keys.isEmpty, "\(store.held.keys)")
      }
    }
  }

  @Test func `a request waits for the lease of another machine for half of the limit at most`() async throws {
    try await withSimulation { world in
      let (mock, store) = (MockTransport(), LeasedStore())
      mock.stub(.get, CacheBench.url, .sequence([.stall, .cached("two", "max-age=60")]))
      let sessions = try Self.machines(2, store, mock)
      let first = sessions[0].request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      try await world.sleep(for: .milliseconds(1))
      let answers = await Self.get([sessions[1]])
      try world.expect(answers.allSatisfy { $0.text == "two" }, "\(answers)")
      try world.expect(mock.requests.count == 2, "\(mock.requests.count) requests")
      try world.expect(world.clock.now.offset >= .milliseconds(2_500), "\(world.clock.now.offset)")
      try world.expect(world.clock.now.offset <= .milliseconds(3_100), "\(world.clock.now.offset)")
      first.cancel()
      _ = await task.value
    }
  }

  @Test(arguments: ["max-age=1", "max-age=1, stale-while-revalidate=60"])
  func `a request continues as soon as an earlier request of the same cache has released the lease`(
    control: String
  ) async throws {
    try await withSimulation { world in
      let (mock, store) = (MockTransport(), LeasedStore())
      store.held.beforeRelease { try? await world.sleep(for: .milliseconds(900)) }
      let tag: HTTPFields = [.eTag: "\"a\""]
      mock.stub(
        .get, CacheBench.url,
        .sequence([
          // Its content takes half a second, so that it is stale before its lease is released.
          .cached("", control, tag).chunked([Data("o".utf8), Data("ne".utf8)], every: .milliseconds(500)),
          .status(.notModified).fields(tag),
        ]))
      let sessions = try Self.machines(1, store, mock)
      for _ in 0..<2 {
        let answers = await Self.get(sessions, 1)
        try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
        // The response is stale then, and its lease is not released yet.
        if mock.requests.count == 1 { try await world.sleep(for: .milliseconds(600)) }
      }
      for session in sessions { await session.finishBackgroundTasks() }
      try world.expect(mock.requests.count == 2, "\(mock.requests.count) requests")
      try world.expect(world.clock.now.offset == .milliseconds(2_300), "\(world.clock.now.offset)")
    }
  }

  @Test func `a lease that is granted to a cancelled request is released`() async throws {
    try await withSimulation { world in
      let (mock, store) = (MockTransport(), LeasedStore())
      mock.stub(.get, CacheBench.url, .cached("one", "max-age=60"))
      // The store does not notice the cancellation.
      store.held.beforeAcquisition {
        await Task(executorPreference: world.executor) { try? await world.sleep(for: .milliseconds(10)) }.value
      }
      let sessions = try Self.machines(1, store, mock)
      let request = sessions[0].request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await request.serializingString().response }
      try await world.sleep(for: .milliseconds(5))
      request.cancel()
      try world.expect(await task.value.error?.kind == .cancelled, "no cancellation")
      let answers = await Self.get(sessions, 1)
      try world.expect(answers.allSatisfy { $0.text == "one" }, "\(answers)")
      for session in sessions { await session.finishBackgroundTasks() }
      try world.expect(store.held.keys.isEmpty, "\(store.held.keys)")
      try world.expect(world.clock.now.offset == .milliseconds(15), "\(world.clock.now.offset)")
    }
  }

  @Test func `a request that waits for a lease can be cancelled`() async throws {
    try await withSimulation { world in
      let (mock, store) = (MockTransport(), LeasedStore())
      mock.stub(.get, CacheBench.url, .stall)
      let sessions = try Self.machines(2, store, mock)
      let requests = sessions.map { $0.request(CacheBench.url) }
      let tasks = requests.map { request in
        Task(executorPreference: world.executor) { await request.serializingString().response }
      }
      try await world.sleep(for: .milliseconds(100))
      for request in requests { request.cancel() }
      for task in tasks { try world.expect(await task.value.error?.kind == .cancelled, "no cancellation") }
      for session in sessions { await session.shutdown() }
      try world.expect(store.held.keys.isEmpty, "\(store.held.keys)")
      try world.expect(mock.requests.count == 1, "\(mock.requests.count) requests")
    }
  }

  @Test func `a request is sent at once if the store cannot give leases, and an event says so`() async throws {
    let store = LeasedStore()
    store.held.fail(LupineError(.other, "The leases of the test fail."))
    let reasons = Reasons()
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key)) { $0.monitor(reasons) }
    bench.stub(.cached("one", "max-age=60"))
    #expect(await bench.get().text == "one")
    #expect(reasons.all.contains("sends the request without a lease: The leases of the test fail."))
    #expect(await bench.get().status == "hit; ttl=60")
  }

  @Test(.enabled(if: Place.available.contains(.redis)))
  func `two caches over one Redis server fetch a response once`() async throws {
    var options = RedisStore.Configuration()
    options.prefix = "test-\(UInt64.random(in: .min ... .max))"
    let server = RedisServer(.unix(path: Peers.redisSocket ?? ""))
    let (mock, arrived) = (MockTransport(), Signal())
    mock.stub(.get, CacheBench.url, .cached("one", "max-age=60").delay(.milliseconds(300)))
    let reasons = Reasons { if $0 == "sends the request: uri-miss" { arrived.set() } }
    // On the real clock, because the second request looks for the response until a real server has it.
    let sessions = try (0..<2).map { _ in
      let store = try RedisStore(
        server, authenticationKey: CacheBench.key, configuration: options, clock: TestClock())
      return try Self.machines(1, store, mock) { $0.monitor(reasons) }[0]
    }
    async let first = sessions[0].request(CacheBench.url).serializingString().response
    await arrived.wait()
    #expect(await sessions[1].request(CacheBench.url).serializingString().response.value == "one")
    #expect(await first.value == "one")
    #expect(mock.requests.count == 1)
    for session in sessions { await session.shutdown() }
  }
}
