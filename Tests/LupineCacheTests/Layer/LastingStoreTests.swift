import HTTPTypes
import LupineCache
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineMock
import LupineRedis
import LupineSQLite
import LupineSession
import Testing

/// Caches over stores that outlive a process: each cache of a test stands for one process.
@Suite(.timeLimit(.minutes(1))) struct LastingStoreTests {
  private static let alice: HTTPFields = [.authorization: "Bearer alice-secret", .acceptLanguage: "de"]
  private static let bob: HTTPFields = [.authorization: "Bearer bob-secret", .acceptLanguage: "de"]

  @Test func `a hash key of less than 32 bytes is refused`() throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    let key = Array(CacheBench.key.dropLast())
    let error = #expect(throws: LupineError.self) { try HTTPCache(store: store, hashKey: key) }
    guard case .configuration = error?.kind else {
      Issue.record("the kind is \(String(describing: error?.kind))")
      return
    }
  }

  @Test func `a response on the disk answers its user alone after the folder was opened again`() async throws {
    let folder = try TemporaryFolder()
    let first = SQLiteStore(at: folder.file("store"), maximumSize: .megabytes(8))
    let before = try CacheBench(cache: HTTPCache(store: first))
    before.stub(.cached("one", "max-age=60", [.vary: "Accept-Language"]))
    #expect(await before.get(CacheBench.url, Self.alice).text == "one")
    await before.session.finishBackgroundTasks()
    await first.close()

    let second = SQLiteStore(at: folder.file("store"), maximumSize: .megabytes(8))
    let after = try CacheBench(cache: HTTPCache(store: second))
    after.stub(.cached("two", "max-age=60", [.vary: "Accept-Language"]))
    #expect(await after.get(CacheBench.url, Self.alice).status == "hit; ttl=60")
    #expect(await after.get(CacheBench.url, Self.bob).text == "two")
    #expect(await after.get(CacheBench.url, Self.alice).text == "one")
    #expect(after.mock.requests.count == 1)
    await after.session.finishBackgroundTasks()
    await second.close()
  }

  @Test(arguments: ["finishRequests", "shutdown", "release"])
  func `a response with the status stored is in the store when its session has ended`(end: String) async throws {
    for _ in 0..<10 {
      let folder = try TemporaryFolder()
      let path = folder.file("store")
      let store = SQLiteStore(at: path, maximumSize: .megabytes(8))
      var before: CacheBench? = try CacheBench(cache: HTTPCache(store: store))
      before?.stub(.cached(String(repeating: "a", count: 40_000), "max-age=60"))
      #expect(await before?.get().status == "fwd=uri-miss; stored")
      switch end {
      case "finishRequests": await before?.session.finishRequests()
      case "shutdown": await before?.session.shutdown()
      default:
        let cache = before?.cache
        before = nil
        while try await cache?.entries.isEmpty ?? false { await Task.yield() }
      }
      await store.close()
      let after = try CacheBench(cache: HTTPCache(store: .sqlite(at: path, .megabytes(8))))
      #expect(await after.get(CacheBench.url, [:], .onlyStored).status == "hit; ttl=60")
    }
  }

  @Test func `another hash key finds no response to a request with a credential`() async throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    let first = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key))
    let second = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key.map { $0 + 1 }))
    first.stub(.cached("one", "max-age=60"))
    second.stub(.cached("two", "max-age=60"))
    #expect(await first.get(CacheBench.url, Self.alice).text == "one")
    await first.session.finishBackgroundTasks()
    #expect(await second.get(CacheBench.url, Self.alice).text == "two")
  }

  @Test func `a hit is read from memory, and another process finds the response on the disk`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("store")
    let first = SQLiteStore(at: path, maximumSize: .megabytes(8))
    let before = try CacheBench(cache: HTTPCache(memory: .megabytes(1), store: first))
    before.stub(.cached("one", "max-age=60"))
    #expect(await before.get(CacheBench.url, Self.alice).text == "one")
    await before.session.finishBackgroundTasks()
    #expect(await before.get(CacheBench.url, Self.alice).status == "hit; ttl=60")
    await first.close()
    // The copy answers, and the store cannot.
    #expect(await before.get(CacheBench.url, Self.alice).status == "hit; ttl=60")

    let after = try CacheBench(cache: HTTPCache(memory: .megabytes(1), store: .sqlite(at: path, .megabytes(8))))
    #expect(await after.get(CacheBench.url, Self.alice, .onlyStored).text == "one")
    #expect(await after.get(CacheBench.url, Self.bob, .onlyStored).error == .notCached)
    try await after.cache.remove(CacheBench.url)
    #expect(await after.get(CacheBench.url, Self.alice, .onlyStored).error == .notCached)
  }

  @Test func `without a key nothing with a credential is stored, unless it is for everyone`() async throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    let reasons = Reasons()
    let bench = try CacheBench(cache: HTTPCache(store: store)) { $0.monitor(reasons) }
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60, public"), .cached("three", "max-age=60"))
    #expect(await bench.get(CacheBench.url, Self.alice).status == "fwd=uri-miss")
    #expect(try await store.responses(for: CacheBench.url).isEmpty)
    #expect(reasons.all.contains { $0.hasPrefix("does not store the response: the request has a credential") })
    #expect(await bench.get(CacheBench.url, Self.alice).status == "fwd=uri-miss; stored")
    #expect(await bench.get(CacheBench.url, Self.bob).text == "two")
    try await bench.cache.removeAll()
    #expect(await bench.get().status == "fwd=uri-miss; stored")
    #expect(await bench.get().status == "hit; ttl=60")
  }

  @Test func `without a key other caches of the store find the variants of a response`() async throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    let (first, second) = try (
      CacheBench(cache: HTTPCache(store: store)), CacheBench(cache: HTTPCache(store: store))
    )
    let german: HTTPFields = [.acceptLanguage: "de"]
    first.stub(.cached("one", "max-age=60", [.vary: "Accept-Language"]))
    second.stub(.cached("two", "max-age=60", [.vary: "Accept-Language"]))
    #expect(await first.get(CacheBench.url, german).text == "one")
    await first.session.finishBackgroundTasks()
    #expect(await second.get(CacheBench.url, german).text == "one")
    #expect(await second.get(CacheBench.url, [.acceptLanguage: "en"]).text == "two")
    // A hash of the credential would be stored without a key.
    let vary: HTTPFields = [.vary: "Authorization"]
    first.stub(.cached("three", "max-age=60, public", vary), url: CacheBench.url + "?secret")
    #expect(await first.get(CacheBench.url + "?secret", Self.alice).status == "fwd=uri-miss")
  }

  @Test func `without a key a confirmation stores no hash of a credential`() async throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    let bench = try CacheBench(cache: HTTPCache(store: store))
    let tag: HTTPFields = [.eTag: "\"a\""]
    bench.stub(
      .cached("one", "max-age=60", tag), .status(.notModified).fields(tag), .cached("three", "max-age=1, public", tag),
      .status(.notModified).fields([.cacheControl: "private, max-age=60", .eTag: "\"a\""]))
    _ = await bench.get()
    // The response of a request without a credential, and not of Alice.
    #expect(await bench.get(CacheBench.url, Self.alice).status == "fwd=vary-miss; fwd-status=304; stored")
    #expect(await bench.get().status == "hit; ttl=60")
    try await bench.cache.removeAll()
    _ = await bench.get(CacheBench.url, Self.alice)
    await bench.advance(by: .seconds(5))
    #expect(await bench.get(CacheBench.url, Self.alice).status == "fwd=stale; fwd-status=304")
    #expect(try await store.responses(for: CacheBench.url).isEmpty)
  }

  @Test func `a closed store harms no request`() async throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.file("store"), maximumSize: .megabytes(8))
    let bench = try CacheBench(cache: HTTPCache(store: store))
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    #expect(await bench.get().text == "one")
    await bench.session.finishBackgroundTasks()
    await store.close()
    #expect(await bench.get().text == "two")
    await bench.session.finishBackgroundTasks()
  }

  @Test(.enabled(if: Peers.redisSocket != nil || Peers.areRequired))
  func `machines share a response on a Redis server, and keep users apart`() async throws {
    let server = RedisServer(.unix(path: try #require(Peers.redisSocket)))
    let prefix = "test-\(UInt64.random(in: .min ... .max))"
    func machine() throws -> CacheBench {
      // The clock stands still, so that no command times out on a slow machine.
      let store = try RedisStore(
        server, authenticationKey: CacheBench.key, configuration: .init(prefix), clock: TestClock())
      return try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key))
    }
    let (first, second) = (try machine(), try machine())
    first.stub(.cached("one", "max-age=60"))
    second.stub(.cached("two", "max-age=60"))
    #expect(await first.get(CacheBench.url, Self.alice).text == "one")
    await first.session.finishBackgroundTasks()
    #expect(await second.get(CacheBench.url, Self.alice).status == "hit; ttl=60")
    #expect(await second.get(CacheBench.url, Self.bob).text == "two")
    await second.session.finishBackgroundTasks()
    try await second.cache.removeAll()
  }
}

extension RedisStore.Configuration {
  fileprivate init(_ prefix: String) {
    self.init()
    self.prefix = prefix
  }
}
