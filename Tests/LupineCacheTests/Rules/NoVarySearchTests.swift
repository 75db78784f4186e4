import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

@testable import LupineCache

@Suite(.timeLimit(.minutes(1))) struct NoVarySearchTests {
  @Test(
    arguments: [
      ("key-order", "a=1&b=2", "b=2&a=1", true), ("key-order", "a=1&a=2", "a=2&a=1", false),
      ("key-order", "a=1", "a=2", false), ("params", "a=1&b=2", "c=3", true), ("params", "a=1", nil, true),
      ("params=(\"utm\" \"x y\")", "a=1&utm=2", "a=1&x+y=3", true), ("params=(\"utm\")", "a=1", "a=2", false),
      ("params, except=(\"a\")", "a=1&b=2", "a=1&b=3", true), ("params, except=(\"a\")", "a=1", "a=2", false),
      ("params=(\"a\"), key-order=?0", "b=1&c=2", "c=2&b=1", false), ("params", "a=%31", "a=1", true),
      ("key-order", "%61=1", "a=%31", true), ("key-order, other=(\"z\")", "a&b", "b=&a", true),
    ] as [(String, String?, String?, Bool)])
  func `queries that select the same response`(rule: String, one: String?, other: String?, isSame: Bool) throws {
    let search = try #require(NoVarySearch(rule))
    #expect((search.canonical(one) == search.canonical(other)) == isSame)
  }

  @Test(arguments: [
    "", "key-order=?0", "params=?0", "params=()", "params=a", "key-order=(\"a\")", "params=(\"a\"", "params=(a)",
    "except=(\"a\")", "params=?0, except=(\"a\")", "params;", "params,", "key-order=?2", "=", ",",
  ])
  func `an invalid field, and one that ignores nothing, has no effect`(rule: String) {
    #expect(NoVarySearch(rule) == nil)
  }

  @Test func `a response answers requests with another query, until an unsafe request`() async throws {
    let bench = try CacheBench()
    let rule: HTTPFields = [.noVarySearch: "params=(\"utm\")"]
    bench.stub(.cached("one", "max-age=60", rule), .cached("two", "max-age=60"))
    bench.mock.stub(.post, CacheBench.url, .status(.ok))
    #expect(await bench.get(CacheBench.url + "?id=1&utm=a").text == "one")
    #expect(await bench.get(CacheBench.url + "?utm=b&id=1").status == "hit; ttl=60")
    #expect(await bench.get(CacheBench.url + "?id=2&utm=a").text == "two")
    _ = await bench.session.request(CacheBench.url + "?id=9", method: .post).serializingData().response
    #expect(await bench.get(CacheBench.url + "?id=1").text == "two")
  }

  @Test func `a response that gains the field replaces the one without it`() async throws {
    let bench = try CacheBench()
    let rule: HTTPFields = [.noVarySearch: "params=(\"utm\")"]
    bench.stub(.cached("one", "max-age=1"), .cached("two", "max-age=60", rule))
    _ = await bench.get(CacheBench.url + "?id=1")
    await bench.advance(by: .seconds(5))
    #expect(await bench.get(CacheBench.url + "?id=1").text == "two")
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get(CacheBench.url + "?id=1").status == "hit; ttl=60")
    #expect(try await bench.cache.entries.count == 1)
  }

  @Test func `a response that breaks off does not replace a whole one with another key`() async throws {
    let bench = try CacheBench()
    let whole = HTTPFields([HTTPField(name: .eTag, value: "\"a\"")])
    let other: HTTPFields = [.noVarySearch: "params", .eTag: "\"b\"", .acceptRanges: "bytes"]
    bench.stub(
      .cached("whole", "max-age=1, stale-if-error=600", whole),
      .cached("broken off", "max-age=60", other).reset(afterBytes: 3), .failure(.connectionLost))
    _ = await bench.get(CacheBench.url + "?id=1")
    await bench.advance(by: .seconds(5))
    _ = await bench.get(CacheBench.url + "?id=1")
    await bench.session.finishBackgroundTasks()
    #expect(try await bench.cache.entries.contains { $0.part == nil && $0.length == 5 })
  }

  @Test func `a fragment is no part of the key`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"))
    _ = await bench.get(CacheBench.url + "#a")
    #expect(await bench.get(CacheBench.url + "#b").status == "hit; ttl=60")
  }
}
