import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import Testing

@testable import LupineCache

/// Stores that do not answer, as while another process holds their lock or their disk hangs.
@Suite(.timeLimit(.minutes(1))) struct HangingStoreTests {
  /// The requests of a test, in virtual time.
  private struct Stage: Sendable {
    let world: Simulation
    let mock = MockTransport()
    let store = HangingStore()
    let cache: HTTPCache
    let session: Session

    init(_ world: Simulation, memory: CacheSize = .bytes(0)) throws {
      self.world = world
      cache = try HTTPCache(memory: memory, store: store, hashKey: CacheBench.key)
      session = try Session.Builder().transport(mock).serializers(emptyResponseCodes: [200]).install(.cache(cache))
        .build()
      let origin = PacedOrigin(data: Data("abcdef".utf8), control: "max-age=10", piece: 3, interval: .milliseconds(1))
      mock.stub(.get, "/{any...}") { origin.reply(to: $0) }
      mock.stub(.head, "/{any...}", .status(.ok).field(.eTag, "\"b\""))
      mock.stub(.post, "/{any...}", .text("posted"))
    }

    /// Sends a request, and expects the server's or the stored text within a second.
    func expect(_ path: String, _ method: HTTPRequest.Method = .get, within limit: Duration = .seconds(1.1))
      async throws
    {
      let start = world.clock.now
      let response = await session.request("https://example.com/" + path, method: method).serializingString().response
      let text = method == .get ? "abcdef" : method == .post ? "posted" : ""
      try world.expect(response.value == text, "\(method) \(path): \(response.value ?? "none"), \(response.result)")
      let time = start.duration(to: world.clock.now)
      try world.expect(time <= limit, "\(method) \(path) took \(time)")
    }

    /// Sends requests that call each method of the store.
    func useAll() async throws {
      try await expect("a")
      try await expect("new")
      try await world.sleep(for: .seconds(20))
      try await expect("a")
      try await expect("a", .head)
      try await expect("a", .post)
      try await expect("a")
    }
  }

  @Test(arguments: HangingStore.Call.allCases, [CacheSize.bytes(0), .megabytes(1)])
  func `a store that hangs in a method delays a request by a second at most, and the end of its session`(
    call: HangingStore.Call, memory: CacheSize
  ) async throws {
    try await withSimulation { world in
      let stage = try Stage(world, memory: memory)
      try await stage.useAll()
      stage.store.hang([call])
      try await stage.useAll()
      try await stage.useAll()
      let start = world.clock.now
      await stage.session.shutdown()
      try world.expect(start.duration(to: world.clock.now) <= .seconds(2), "the shutdown was late")
      stage.store.recover()
    }
  }

  @Test func `requests pass by a store that hangs, and use it again when it answers`() async throws {
    try await withSimulation { world in
      let stage = try Stage(world)
      try await stage.expect("a")
      await stage.session.finishBackgroundTasks()
      stage.store.hang(Set(HangingStore.Call.allCases))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { try await stage.expect("a") } }
        try await group.waitForAll()
      }
      // The store is left out.
      for _ in 0..<10 { try await stage.expect("a", within: .milliseconds(100)) }
      let calls = stage.store.hungCalls
      try await world.sleep(for: .seconds(1))
      // One request tries the store again.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { try await stage.expect("a") } }
        try await group.waitForAll()
      }
      try world.expect(stage.store.hungCalls == calls + 1, "\(stage.store.hungCalls - calls) calls")
      stage.store.recover()
      try await world.sleep(for: .seconds(31))
      try await stage.expect("a")
      await stage.session.finishBackgroundTasks()
      let sent = stage.mock.requests.count
      try await stage.expect("a", within: .zero)
      try world.expect(stage.mock.requests.count == sent, "the store was not used")
      await stage.session.shutdown()
    }
  }

  @Test(arguments: HangingStore.Call.allCases)
  func `a cancellation ends a request at once, whatever the store does`(call: HangingStore.Call) async throws {
    try await withSimulation { world in
      let stage = try Stage(world)
      try await stage.expect("a")
      try await world.sleep(for: .seconds(20))
      stage.store.hang([call])
      for method: HTTPRequest.Method in [.get, .head, .post] {
        let request = stage.session.request("https://example.com/a", method: method)
        let task = Task(executorPreference: world.executor) { await request.serializingString().response }
        try await world.sleep(for: .milliseconds(100))
        let start = world.clock.now
        request.cancel()
        _ = await task.value
        try world.expect(start == world.clock.now, "\(method) went on for \(start.duration(to: world.clock.now))")
      }
      await stage.session.shutdown()
      stage.store.recover()
    }
  }

  @Test(arguments: [CacheSize.bytes(0), .megabytes(1)])
  func `a response that could not be removed is removed before its key is read again`(memory: CacheSize) async throws {
    try await withSimulation { world in
      let stage = try Stage(world, memory: memory)
      try await stage.expect("a")
      await stage.session.finishBackgroundTasks()
      stage.store.hang([.removeAll])
      try await stage.expect("a", .post)
      let sent = stage.mock.requests.count
      // The removal is tried, and hangs; the request is sent.
      try await stage.expect("a")
      try world.expect(stage.mock.requests.count == sent + 1, "a response answered that a request had changed")
      await stage.session.shutdown()
      stage.store.recover()
    }
  }

  @Test func `a response whose commit comes too late is removed`() async throws {
    try await withSimulation { world in
      let stage = try Stage(world)
      stage.store.hang([.commit])
      try await stage.expect("a")
      await stage.session.finishBackgroundTasks()
      stage.store.recover()
      try await world.sleep(for: .milliseconds(1))
      try world.expect(try await stage.store.base.size() == 0, "the response is stored")
      await stage.session.shutdown()
    }
  }

  @Test func `a program that lists a cache whose store hangs can give up`() async throws {
    try await withSimulation { world in
      let stage = try Stage(world)
      stage.store.hang([.removeAll])
      try await stage.expect("a")
      let error = await #expect(throws: (any Error).self) { try await stage.cache.remove("https://example.com/a") }
      try world.expect((error as? LupineError)?.kind == .storeUnavailable, "\(String(describing: error))")
      await stage.session.shutdown()
      stage.store.recover()
    }
  }
}
