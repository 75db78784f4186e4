import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct PolicyTests {
  @Test func `reload sends the request, and stores its response`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    _ = await bench.get()
    let answer = await bench.get(CacheBench.url, [:], .reload)
    #expect(answer.text == "two")
    #expect(answer.status == "fwd=request; stored")
    #expect(bench.mock.requests.last?.headers[.cacheControl] == "no-cache")
    #expect(await bench.get().text == "two")
  }

  @Test func `validate asks the server about a fresh response, but not about an immutable one`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60", [.eTag: "\"a\""]), .status(.notModified))
    _ = await bench.get()
    #expect(await bench.get(CacheBench.url, [:], .validate).status == "fwd=request; fwd-status=304; stored")
    let other = "https://example.com/immutable"
    bench.stub(.cached("two", "max-age=60, immutable", [.eTag: "\"a\""]), url: other)
    _ = await bench.get(other)
    #expect(await bench.get(other, [:], .validate).status == "hit; ttl=60")
  }

  @Test func `prefer stored uses a stale response, unless it must be validated`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=1"), .cached("two", "max-age=1, must-revalidate"), .cached("three", "max-age=1"))
    _ = await bench.get()
    await bench.advance(by: .seconds(10))
    #expect(await bench.get(CacheBench.url, [:], .preferStored).status == "hit; ttl=-9")
    #expect(await bench.get().text == "two")
    await bench.advance(by: .seconds(10))
    #expect(await bench.get(CacheBench.url, [:], .preferStored).text == "three")
  }

  @Test func `only stored fails without a response, and sends nothing`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"))
    #expect(await bench.get(CacheBench.url, [:], .onlyStored).error == .notCached)
    #expect(bench.mock.requests.isEmpty)
    _ = await bench.get()
    #expect(await bench.get(CacheBench.url, [:], .onlyStored).text == "one")
  }

  @Test func `only-if-cached is answered with 504`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"))
    #expect(await bench.get(CacheBench.url, [.cacheControl: "only-if-cached"]).code == 504)
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `do not store uses the cache and stores nothing`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    #expect(await bench.get(CacheBench.url, [:], .doNotStore).status == "fwd=uri-miss")
    _ = await bench.get()
    #expect(await bench.get(CacheBench.url, [:], .doNotStore).text == "two")
  }

  @Test func `a caller's lifetime replaces that of the response`() async throws {
    let bench = try CacheBench()
    bench.stub(.text("one"), .cached("two", "max-age=60"), .cached("three", "no-store"))
    func get(_ seconds: Int) async -> Answer {
      await Answer(bench.session.request(CacheBench.url).cache(for: .seconds(seconds)).serializingString().response)
    }
    #expect(await get(60).status == "fwd=uri-miss; stored")
    await bench.advance(by: .seconds(59))
    #expect(await get(60).status == "hit; ttl=1")
    await bench.advance(by: .seconds(1))
    #expect(await get(60).text == "two")
    await bench.advance(by: .seconds(5))
    #expect(await get(5).text == "three")
    #expect(await get(60).text == "two")
  }

  @Test(arguments: [
    ("no-cache", false), ("max-age=5", false), ("max-age=20", true), ("min-fresh=51", false), ("min-fresh=50", true),
    ("max-age=0", false),
  ])
  func `directives of a request limit what it accepts`(control: String, isHit: Bool) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    _ = await bench.get()
    await bench.advance(by: .seconds(10))
    #expect(await bench.get(CacheBench.url, [.cacheControl: control]).text == (isHit ? "one" : "two"))
  }

  @Test(arguments: [("max-stale", true), ("max-stale=10", true), ("max-stale=2", false), ("max-stale=x", false)])
  func `max-stale accepts a stale response`(control: String, isHit: Bool) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    _ = await bench.get()
    await bench.advance(by: .seconds(65))
    #expect(await bench.get(CacheBench.url, [.cacheControl: control]).text == (isHit ? "one" : "two"))
  }

  @Test func `a cacher decides what is stored, that of the request first`() async throws {
    let bench = try CacheBench(cacher: .doNotCache)
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=1"), .cached("three", "max-age=60"))
    #expect(await bench.get().status == "fwd=uri-miss")
    let cacher = ResponseCacher.modify { head, _ in
      var head = head
      head.headerFields[.cacheControl] = "max-age=600"
      return head
    }
    let response = await bench.session.request(CacheBench.url).cacheResponse(using: cacher).serializingString().response
    #expect(response.response?.headerFields[.cacheControl] == "max-age=1")
    await bench.advance(by: .seconds(60))
    #expect(await bench.get().status == "hit; ttl=540")
  }

  @Test func `entries are listed and removed`() async throws {
    let bench = try CacheBench()
    for path in ["a", "b", "c"] {
      bench.stub(.cached(path, "max-age=60"), url: "https://\(path).example/")
      _ = await bench.get("https://\(path).example/")
    }
    // The last response may still be on its way into the store.
    await bench.session.finishBackgroundTasks()
    #expect(try await bench.cache.entries.map(\.url.host).sorted() == ["a.example", "b.example", "c.example"])
    #expect(try await bench.cache.size > 0)
    try await bench.cache.remove("https://a.example/")
    try await bench.cache.removeAll { $0.url.host == "b.example" }
    #expect(try await bench.cache.entries.map(\.url.host) == ["c.example"])
    try await bench.cache.removeAll()
    #expect(try await bench.cache.size == 0)
  }
}
