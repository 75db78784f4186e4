import HTTPTypes
import LupineCache
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineMock
import LupineRedis
import LupineSession
import LupineSupport
import Testing

/// If a store fails, the program still has its responses, and an event with the reason.
@Suite(.timeLimit(.minutes(1))) struct StoreFailureTests {
  @Test func `each failure of the store is an event, and no error`() async throws {
    let reasons = Reasons()
    let bench = try CacheBench(cache: HTTPCache(store: FailingStore(), hashKey: CacheBench.key)) {
      $0.monitor(reasons)
    }
    bench.stub(.cached("one", "max-age=60"))
    bench.mock.stub(.post, CacheBench.url, .text("posted"))
    let request = bench.session.request(CacheBench.url)
    #expect(await request.serializingString().response.value == "one")
    await bench.session.finishBackgroundTasks()
    #expect(reasons.all.contains("finds no response, because the store fails: The store of the test fails."))
    #expect(reasons.all.contains("does not store the response: The store of the test fails."))
    _ = await bench.session.request(CacheBench.url, method: .post).serializingString().response
    let reason = "does not remove what is stored of the changed resource: The store of the test fails."
    #expect(reasons.all.contains(reason))
    // A released request emits no events.
    withExtendedLifetime(request) {}
  }

  @Test(
    arguments: [
      (.noWriter, "the store does not take it"), (.full(after: 2), "The store of the test is full."),
      (.commit, "The store of the test does not commit."),
    ] as [(ObservedStore.Fault, String)])
  func `a response that the store gives up is delivered, with an event`(
    fault: ObservedStore.Fault, reason: String
  ) async throws {
    let reasons = Reasons()
    let store = ObservedStore { fault }
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key)) { $0.monitor(reasons) }
    bench.stub(.cached("", "max-age=60").chunked(["one", "two"]), .cached("three", "max-age=60"))
    let request = bench.session.request(CacheBench.url)
    #expect(await request.serializingString().response.value == "onetwo")
    await bench.session.finishBackgroundTasks()
    #expect(reasons.all.last == "does not store the response: " + reason)
    #expect(store.openWriters == 0)
    #expect(await bench.get().text == "three")
    withExtendedLifetime(request) {}
  }

  @Test func `a stored response that cannot be read or updated is an event`() async throws {
    let reasons = Reasons()
    let bench = try CacheBench(cache: HTTPCache(store: ReadFailingStore(), hashKey: CacheBench.key)) {
      $0.monitor(reasons)
    }
    let tag: HTTPFields = [.eTag: "\"a\""]
    bench.stub(
      .cached("one", "max-age=10", tag), .cached("two", "max-age=10", tag), .status(.notModified).fields(tag),
      .cached("four", "max-age=10"))
    _ = await bench.get()
    #expect(await bench.get().text == "two")
    let content = "does not use the stored response, because the store fails: The content cannot be read."
    #expect(reasons.all.contains(content))
    await bench.advance(by: .seconds(20))
    #expect(await bench.get().text == "four")
    bench.mock.stub(.head, CacheBench.url, .status(.ok).fields(tag))
    _ = await bench.session.request(CacheBench.url, method: .head).serializingData().response
    let update = "does not update the stored response, because the store fails: The record cannot be updated."
    #expect(reasons.all.contains(update))
  }

  @Test func `a store that falls behind is an event`() async throws {
    let reasons = Reasons()
    let store = SlowStore()
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key)) { $0.monitor(reasons) }
    bench.stub(.cached("", "max-age=60").chunked([Data(count: 1 << 20), Data(count: 1)]))
    let request = bench.session.request(CacheBench.url)
    #expect(await request.serializingData().response.value?.count == (1 << 20) + 1)
    store.gate.set()
    await bench.session.finishBackgroundTasks()
    #expect(reasons.all.last == "does not store the response: more than 1 MiB of it waits for the store")
    withExtendedLifetime(request) {}
  }

  @Test func `a Redis server that is gone harms no request, and is an event`() async throws {
    let folder = try TemporaryFolder()
    let store = try RedisStore(
      RedisServer(.unix(path: folder.file("no server"))), authenticationKey: CacheBench.key, clock: TestClock())
    let reasons = Reasons()
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key)) { $0.monitor(reasons) }
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    #expect(await bench.get().text == "one")
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get().text == "two")
    #expect(reasons.all.count { $0.hasPrefix("finds no response, because the store fails: ") } >= 2)
  }
}
