import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct UsersTests {
  private static let alice: HTTPFields = [.authorization: "Bearer alice-secret"]
  private static let bob: HTTPFields = [.authorization: "Bearer bob-secret"]

  @Test(
    arguments: [
      alice, [.cookie: "id=alice-secret"], [HTTPField.Name("X-API-Key")!: "alice-secret"],
    ] as [HTTPFields])
  func `a response answers the same user alone`(fields: HTTPFields) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"), .cached("three", "max-age=60"))
    #expect(await bench.get(CacheBench.url, fields).text == "one")
    #expect(await bench.get(CacheBench.url, Self.bob).text == "two")
    #expect(await bench.get().text == "three")
    #expect(await bench.get(CacheBench.url, fields).text == "one")
    #expect(await bench.get(CacheBench.url, Self.bob).text == "two")
    #expect(bench.mock.requests.count == 3)
  }

  @Test func `another user gets a response after a 304 to its strong entity tag`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60", [.eTag: "\"a\""]), .status(.notModified).field(.eTag, "\"a\""))
    _ = await bench.get(CacheBench.url, Self.alice)
    #expect(await bench.get(CacheBench.url, Self.bob).status == "fwd=vary-miss; fwd-status=304; stored")
    #expect(bench.mock.requests.last?.headers[.authorization] == "Bearer bob-secret")
    #expect(await bench.get(CacheBench.url, Self.bob).status?.hasPrefix("hit") == true)
    #expect(await bench.get(CacheBench.url, Self.alice).status?.hasPrefix("hit") == true)
  }

  @Test(arguments: [[.eTag: "W/\"a\""], [.lastModified: "Fri, 15 Jan 2027 07:00:00 GMT"]] as [HTTPFields])
  func `a weak validator does not give a response to another user`(validator: HTTPFields) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60", validator), .cached("two", "max-age=60"))
    _ = await bench.get(CacheBench.url, Self.alice)
    #expect(await bench.get(CacheBench.url, Self.bob).text == "two")
    #expect(bench.mock.requests.last?.headers[.ifNoneMatch] == nil)
    #expect(bench.mock.requests.last?.headers[.ifModifiedSince] == nil)
  }

  @Test func `no policy and no failure gives a response to another user`() async throws {
    let bench = try CacheBench()
    let control = "max-age=60, stale-if-error=600, stale-while-revalidate=600"
    bench.stub(.cached("one", control, [.eTag: "\"a\""]), .status(.serviceUnavailable))
    _ = await bench.get(CacheBench.url, Self.alice)
    #expect(await bench.get(CacheBench.url, Self.bob, .onlyStored).error == .notCached)
    #expect(await bench.get(CacheBench.url, Self.bob, .preferStored).code == 503)
    #expect(await bench.get(CacheBench.url, Self.bob).code == 503)
  }

  @Test func `public lifts the separation`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60, public"))
    _ = await bench.get(CacheBench.url, Self.alice)
    #expect(await bench.get(CacheBench.url, Self.bob).text == "one")
    #expect(await bench.get().text == "one")
  }

  @Test func `a confirmation without public gives the response to the confirmed user alone`() async throws {
    let bench = try CacheBench()
    let tag: HTTPFields = [.eTag: "\"a\""]
    bench.stub(
      .cached("one", "max-age=10, public", tag),
      .status(.notModified).fields([.cacheControl: "private, max-age=60", .eTag: "\"a\""]), .cached("two", "max-age=60")
    )
    _ = await bench.get(CacheBench.url, Self.alice)
    bench.clock.advance(by: .seconds(20))
    #expect(await bench.get(CacheBench.url, Self.bob).text == "one")
    #expect(await bench.get(CacheBench.url, Self.bob).status?.hasPrefix("hit") == true)
    #expect(await bench.get(CacheBench.url, Self.alice).text == "two")
  }

  @Test func `a confirmation with public lifts the separation`() async throws {
    let bench = try CacheBench()
    bench.stub(
      .cached("one", "max-age=10", [.eTag: "\"a\""]),
      .status(.notModified).fields([.cacheControl: "public, max-age=60", .eTag: "\"a\""]))
    _ = await bench.get(CacheBench.url, Self.alice)
    bench.clock.advance(by: .seconds(20))
    _ = await bench.get(CacheBench.url, Self.alice)
    #expect(await bench.get(CacheBench.url, Self.bob).status?.hasPrefix("hit") == true)
  }

  @Test func `nothing that is stored has a secret`() async throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key))
    bench.stub(.cached("one", "max-age=60", [.setCookie: "id=alice-secret", .vary: "Authorization, Cookie"]))
    let first = await bench.get(CacheBench.url, Self.alice)
    #expect(first.head?.headerFields[.setCookie] == "id=alice-secret")
    #expect(await bench.get(CacheBench.url, Self.alice).head?.headerFields[.setCookie] == nil)
    let stored = try #require(try await store.responses(for: CacheBench.url).first)
    let record =
      "\(stored.record.key) \(stored.record.variant) \(stored.record.head.headerFields)"
      + String(decoding: stored.record.metadata, as: UTF8.self)
    #expect(!record.contains("alice-secret"))
  }

  @Test func `connection keys are told apart, and an unsafe request concerns all of them`() async throws {
    let bench = try CacheBench()
    let other = try bench.another { $0.unixSocket("/run/other.sock") }
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"), .cached("three", "max-age=60"))
    bench.mock.stub(.post, CacheBench.url, .status(.ok))
    func get() async -> String? { await other.request(CacheBench.url).serializingString().response.value }
    #expect(await bench.get().text == "one")
    #expect(await get() == "two")
    #expect(await bench.get().text == "one")
    _ = await bench.session.request(CacheBench.url, method: .post).serializingData().response
    #expect(await get() == "three")
  }

  @Test func `sessions with the same connection key share responses`() async throws {
    let bench = try CacheBench()
    let other = try bench.another()
    bench.stub(.cached("one", "max-age=60"))
    _ = await bench.get()
    #expect(await other.request(CacheBench.url).serializingString().response.cacheStatus?.isHit == true)
  }

  @Test func `a shared cache stores no response to Authorization unless it is told to`() async throws {
    let bench = try CacheBench(cache: HTTPCache(memory: .megabytes(8), .init { $0.isShared = true }))
    bench.stub(.cached("one", "max-age=60"), .cached("two", "private, max-age=60"), .cached("three", "s-maxage=60"))
    #expect(await bench.get(CacheBench.url, Self.alice).status == "fwd=uri-miss")
    #expect(await bench.get().status == "fwd=uri-miss")
    #expect(await bench.get(CacheBench.url, Self.alice).status == "fwd=uri-miss; stored")
    #expect(await bench.get(CacheBench.url, Self.bob).text == "three")
  }
}
