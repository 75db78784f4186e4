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

/// Numbers of a program or of a server at the ends of their ranges: no number may end the process.
@Suite(.timeLimit(.minutes(1))) struct ExtremeNumberTests {
  private static let durations: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.max) * 16, .seconds(Int64.min), .zero, .nanoseconds(-1),
  ]

  @Test(arguments: durations, [Int.max, 0, .min])
  func `a configuration accepts every duration and number`(duration: Duration, count: Int) async throws {
    for size: CacheSize in [.bytes(.max), .gigabytes(.max), .bytes(.min), .bytes(0)] {
      let configuration = HTTPCache.Configuration {
        $0.collapsedWait = duration
        $0.leaseLifetime = duration
        $0.backgroundRefreshes = count
      }
      let bench = try CacheBench(cache: HTTPCache(memory: size, configuration))
      bench.mock.stub(.get, CacheBench.url, .cached("one", "max-age=1, stale-while-revalidate=60", [.eTag: "\"a\""]))
      async let first = bench.get()
      async let second = bench.get()
      #expect(await [first.text, second.text] == ["one", "one"])
      await bench.advance(by: .seconds(2))
      #expect(await bench.get().text == "one")
      await bench.session.shutdown()
    }
  }

  @Test(arguments: [
    "max-age=99999999999999999999999", "max-age=9223372036854775807, stale-while-revalidate=9223372036854775807",
    "s-maxage=18446744073709551616", "max-age=-9223372036854775808", "stale-if-error=9223372036854775807",
  ])
  func `every number that a server sends is accepted`(control: String) async throws {
    let extremes = ["9223372036854775807", "-9223372036854775808", "99999999999999999999999"]
    for number in extremes {
      let bench = try CacheBench(cache: HTTPCache(memory: .megabytes(1)))
      bench.mock.stub(.get, CacheBench.url, .cached("one", control, [.age: number, .eTag: "\"a\""]))
      #expect(await bench.get().text == "one")
      await bench.session.finishBackgroundTasks()
      for value in extremes {
        let field = "max-stale=\(value), min-fresh=\(value), max-age=\(value)"
        #expect(await bench.get(CacheBench.url, [.cacheControl: field]).text == "one")
        _ = await bench.get(CacheBench.url, [.range: "bytes=\(value)-"])
        _ = await bench.get(CacheBench.url, [.range: "bytes=-\(value)"])
      }
      await bench.session.shutdown()
    }
  }

  @Test func `a part near the greatest length may have more bytes than it states`() async throws {
    let bench = try CacheBench()
    let range = "bytes 9223372036854775800-9223372036854775805/9223372036854775807"
    let fields: HTTPFields = [.contentRange: range, .eTag: "\"a\"", .cacheControl: "max-age=60"]
    let reply = MockReply.status(.partialContent).fields(fields).chunked([Data(count: 20), Data(count: 20)])
    bench.stub(reply.reset(afterBytes: 30), reply)
    for _ in 1...2 { _ = await bench.get(CacheBench.url, [.range: "bytes=9223372036854775800-"]) }
    await bench.session.finishBackgroundTasks()
    #expect(try await bench.parts.allSatisfy { $0?.isEmpty == false })
  }

  @Test func `a length that makes no sense reserves no memory`() async throws {
    let folder = try TemporaryFolder()
    let stores: [any ResponseStore] = [
      MemoryResponseStore(size: .megabytes(1)), SQLiteStore(at: folder.file("store"), maximumSize: .megabytes(1)),
      try RedisStore(RedisServer(.unix(path: "/none")), authenticationKey: CacheBench.key, clock: TestClock()),
    ]
    for store in stores {
      let record = ResponseRecord(key: "key", head: HTTPResponse(status: .ok))
      for length in [nil, 0, -1, .min] as [Int64?] {
        let writer = try #require(try await store.makeWriter(for: record, length: length))
        try await writer.append(Data(count: 10))
        await writer.abort()
      }
    }
  }
}
