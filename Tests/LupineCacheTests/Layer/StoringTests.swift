import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct StoringTests {
  private static let megabyte = Data(repeating: 7, count: 1 << 20)

  @Test func `a store that fails at everything changes no response`() async throws {
    let bench = try CacheBench(cache: HTTPCache(store: FailingStore(), hashKey: CacheBench.key))
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    bench.mock.stub(.post, CacheBench.url, .text("posted"))
    #expect(await bench.get().text == "one")
    #expect(await bench.get().text == "two")
    #expect(await bench.session.request(CacheBench.url, method: .post).serializingString().response.value == "posted")
    await #expect(throws: LupineError.self) { try await bench.cache.entries }
  }

  @Test func `a response that the slow store falls 1 MiB behind is given up`() async throws {
    let store = SlowStore()
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key))
    let pieces = [Self.megabyte, Self.megabyte, Data(count: 1)]
    bench.stub(.cached("", "max-age=60").chunked(pieces), .cached("two", "max-age=60"))
    let response = await bench.session.request(CacheBench.url).serializingData().response
    #expect(response.value?.count == (2 << 20) + 1)
    #expect(response.cacheStatus?.isStored == true)
    store.gate.set()
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get().text == "two")
  }

  @Test func `a response of at most 1 MiB waits for a slow store`() async throws {
    let store = SlowStore()
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key))
    bench.stub(.cached("", "max-age=60").chunked([Self.megabyte]))
    #expect(await bench.session.request(CacheBench.url).serializingData().response.value?.count == 1 << 20)
    async let next = bench.session.request(CacheBench.url).serializingData().response
    store.gate.set()
    #expect(await next.cacheStatus?.isHit == true)
  }

  @Test func `a request that waits for a store that hangs can be cancelled`() async throws {
    let store = SlowStore()
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key))
    bench.stub(.cached("one", "max-age=60"))
    #expect(await bench.get().text == "one")
    let request = bench.session.request(CacheBench.url)
    async let response = request.serializingString().response
    request.cancel()
    #expect(await response.error?.kind == .cancelled)
    // The clock stands still, so the second would never end for which the shutdown waits for the store.
    store.gate.set()
    await bench.session.shutdown()
  }

  @Test func `a response that is too large for the cache is delivered and not stored`() async throws {
    let bench = try CacheBench(cache: HTTPCache(memory: .megabytes(8)))
    bench.stub(.cached("", "max-age=60").chunked([Self.megabyte, Data(count: 1)]), .cached("two", "max-age=60"))
    #expect(await bench.session.request(CacheBench.url).serializingData().response.value?.count == (1 << 20) + 1)
    #expect(await bench.get().text == "two")
  }

  @Test func `a stored response whose content is gone is requested again`() async throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    let bench = try CacheBench(cache: HTTPCache(store: ForgetfulStore(base: store), hashKey: CacheBench.key))
    bench.stub(
      .cached("one", "max-age=1", [.eTag: "\"a\""]), .cached("two", "max-age=1", [.eTag: "\"a\""]),
      .status(.notModified), .cached("four", "max-age=1"))
    #expect(await bench.get().text == "one")
    #expect(await bench.get().text == "two")
    #expect(await bench.get(CacheBench.url, [:], .onlyStored).error == .notCached)
    bench.clock.advance(by: .seconds(5))
    #expect(await bench.get().text == "four")
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `concurrent requests receive whole responses of their own user`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let mock = MockTransport()
      mock.stub(.get, "/{any...}") { request in
        let text = "\(request.url.path) \(request.headers[.authorization] ?? "nobody")"
        return .cached("", "max-age=3, stale-while-revalidate=5", [.eTag: "\"a\""])
          .chunked([text, " and", " more"], every: .milliseconds(Int64(world.random() % 500)))
      }
      mock.stub(.post, "/{any...}", .status(.ok))
      let seen = Box<[String]>([])
      let cache = HTTPCache(memory: .kilobytes(16))
      let session = try Session.Builder().transport(mock).install(.cache(cache)).build()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          let start = Duration.milliseconds(Int64(world.random() % 20_000))
          group.addTask {
            try? await world.sleep(for: start)
            let user = ["a", "b", nil][number % 3]
            let path = "/\(number % 4)"
            var headers: HTTPFields = [:]
            headers[.authorization] = user
            let method: HTTPRequest.Method = number % 10 == 0 ? .post : .get
            let response = await session.request(
              "https://example.com" + path, method: method, headers: RequestHeaders(headers)
            )
            .serializingString().response
            guard method == .get else { return }
            let expected = "\(path) \(user ?? "nobody") and more"
            if response.value != expected {
              seen.change { $0.append("\(response.value ?? "none") instead of \(expected)") }
            }
          }
        }
        await group.waitForAll()
      }
      await session.shutdown()
      try world.expect(seen.value.isEmpty, "\(seen.value)")
      let size = try await cache.size
      try world.expect(size <= 16 << 10, "the cache has \(size) bytes")
    }
  }
}
