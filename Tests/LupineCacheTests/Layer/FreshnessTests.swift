import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineSupport
import Testing

/// Where the lifetime of a response comes from: its status, the response to HEAD, or a field for shared caches.
@Suite(.timeLimit(.minutes(1))) struct FreshnessTests {
  /// A bench whose cache is shared.
  private static func sharedBench() throws -> CacheBench {
    var configuration = HTTPCache.Configuration()
    configuration.isShared = true
    return try CacheBench(cache: HTTPCache(memory: .megabytes(8), configuration))
  }

  /// A response without a lifetime, last modified a hundred minutes ago.
  private static func unstated(_ status: Int, _ bench: CacheBench, _ control: String? = nil) -> MockReply {
    let modified = HTTPDate.text(bench.clock.date.addingTimeInterval(-6_000)) ?? ""
    let reply = MockReply.status(HTTPResponse.Status(code: status)).field(.lastModified, modified)
    return control.map { reply.field(.cacheControl, $0) } ?? reply
  }

  // RFC 9110 section 15.1.
  @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501], [false, true])
  func `a response with a heuristic status is fresh for a tenth of the time since its change`(
    status: Int, isShared: Bool
  ) async throws {
    let bench = isShared ? try Self.sharedBench() : try CacheBench()
    bench.stub(Self.unstated(status, bench), .text("new"))
    _ = await bench.session.request(CacheBench.url).redirector(.doNotFollow).serializingData().response
    await bench.advance(by: .seconds(599))
    let response = await bench.session.request(CacheBench.url).redirector(.doNotFollow).serializingData().response
    #expect(response.cacheStatus?.description == "hit; ttl=1")
    #expect(response.response?.status.code == status)
    await bench.advance(by: .seconds(1))
    #expect(await bench.get().text == "new")
  }

  @Test(arguments: [201, 202, 302, 303, 307, 400, 401, 403, 418, 500, 502, 503, 504])
  func `another status has no heuristic lifetime`(status: Int) async throws {
    let bench = try CacheBench()
    bench.stub(Self.unstated(status, bench), .text("new"))
    _ = await bench.session.request(CacheBench.url).redirector(.doNotFollow).serializingData().response
    await bench.session.finishBackgroundTasks()
    #expect(try await bench.cache.entries.isEmpty)
    #expect(await bench.get().text == "new")
  }

  @Test(arguments: [302, 403, 500, 503])
  func `public gives any final status a heuristic lifetime`(status: Int) async throws {
    let bench = try CacheBench()
    bench.stub(Self.unstated(status, bench, "public"))
    _ = await bench.session.request(CacheBench.url).redirector(.doNotFollow).serializingData().response
    let response = await bench.session.request(CacheBench.url).redirector(.doNotFollow).serializingData().response
    #expect(response.cacheStatus?.description == "hit; ttl=600")
  }

  @Test func `the heuristic lifetime is at most a week`() async throws {
    let bench = try CacheBench()
    bench.stub(.text("one").field(.lastModified, "Thu, 01 Jan 1970 00:00:00 GMT"), .text("two"))
    _ = await bench.get()
    #expect(await bench.get().status == "hit; ttl=604800")
  }

  // RFC 9111 section 4.3.5.
  @Test(
    arguments: [
      ([.eTag: "\"a\""], [.eTag: "\"a\""], "hit; ttl=600"),
      ([.eTag: "\"a\""], [.eTag: "\"b\""], nil),
      ([.eTag: "\"a\""], [.eTag: "\"a\"", .contentLength: "4"], nil),
      ([.eTag: "\"a\""], [:], "hit; ttl=60"),
      ([.lastModified: "Thu, 01 Jan 1970 00:00:00 GMT"], [.lastModified: "Fri, 02 Jan 1970 00:00:00 GMT"], nil),
      (
        [.lastModified: "Thu, 01 Jan 1970 00:00:00 GMT"], [.lastModified: "Thu, 01 Jan 1970 00:00:00 GMT"],
        "hit; ttl=600"
      ),
    ] as [(HTTPFields, HTTPFields, String?)])
  func `a response to HEAD updates what it describes and removes what it does not`(
    stored: HTTPFields, head: HTTPFields, status: String?
  ) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60", stored), .text("new"))
    bench.mock.stub(.head, CacheBench.url, .text("one").field(.cacheControl, "max-age=600").fields(head))
    _ = await bench.get()
    let request = bench.session.request(CacheBench.url, method: .head, headers: [.cacheControl: "no-cache"])
    #expect(await request.serializingData().response.cacheStatus?.isHit == false)
    let answer = await bench.get()
    #expect(answer.text == (status == nil ? "new" : "one"))
    #expect(answer.status == status ?? "fwd=uri-miss")
  }

  @Test func `an unsuccessful response to HEAD changes nothing`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60", [.eTag: "\"a\""]))
    bench.mock.stub(.head, CacheBench.url, .status(.notFound).field(.eTag, "\"b\""))
    _ = await bench.get()
    _ = await bench.session.request(CacheBench.url, method: .head, headers: [.cacheControl: "no-cache"])
      .serializingData().response
    #expect(await bench.get().status == "hit; ttl=60")
  }

  // RFC 9213 section 2.1.
  @Test(
    arguments: [
      ("max-age=30", "max-age=60", "hit; ttl=30"), ("max-age=0", "max-age=60", nil), ("no-store", "max-age=60", nil),
      ("max-age=30", "no-store", "hit; ttl=30"), ("max-age=30", "private", "hit; ttl=30"),
      ("max-age=30", "max-age=60, no-cache", "hit; ttl=30"), ("private", "max-age=60", nil),
      ("max-age=\"30", "max-age=60", "hit; ttl=60"), ("", "max-age=60", "hit; ttl=60"),
      ("unknown", "max-age=60", nil), ("max-age=30, &", "max-age=60", "hit; ttl=60"),
      ("Max-Age=30", "max-age=60", "hit; ttl=60"), ("max-age=30;x=1, y=.", "max-age=60", "hit; ttl=60"),
      ("max-age=30;x=1, y=1.5", "max-age=60", "hit; ttl=30"), ("max-age=\"30\"", "max-age=60", nil),
      ("max-age=-1", "max-age=60", nil), ("max-age=30, public=?0", "max-age=60", "hit; ttl=30"),
      ("max-age=10, max-age=30", "max-age=60", "hit; ttl=30"),
    ] as [(String, String, String?)])
  func `CDN-Cache-Control replaces Cache-Control in a shared cache`(
    targeted: String, control: String, status: String?
  ) async throws {
    let name = try #require(HTTPField.Name("CDN-Cache-Control"))
    let bench = try Self.sharedBench()
    bench.stub(.cached("one", control, [name: targeted]), .text("two"))
    _ = await bench.get()
    let answer = await bench.get()
    #expect(answer.text == (status == nil ? "two" : "one"))
    if let status { #expect(answer.status == status) }
  }

  @Test func `CDN-Cache-Control also replaces Expires, and a private cache ignores it`() async throws {
    let name = try #require(HTTPField.Name("CDN-Cache-Control"))
    for isShared in [false, true] {
      let bench = isShared ? try Self.sharedBench() : try CacheBench()
      let expires = HTTPDate.text(bench.clock.date.addingTimeInterval(90)) ?? ""
      bench.stub(.text("one").field(name, "max-age=30").field(.expires, expires))
      _ = await bench.get()
      #expect(await bench.get().status == (isShared ? "hit; ttl=30" : "hit; ttl=90"))
    }
  }
}
