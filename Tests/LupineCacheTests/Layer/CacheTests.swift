import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineResilience
import LupineSession
import LupineStreams
import LupineTransfers
import Testing

@Suite(.timeLimit(.minutes(1))) struct CacheTests {
  @Test func `a fresh response answers without the server, with its age`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"))
    #expect(await bench.get().status == "fwd=uri-miss; stored")
    bench.clock.advance(by: .seconds(18))
    let answer = await bench.get()
    #expect(answer.text == "one")
    #expect(answer.status == "hit; ttl=42")
    #expect(answer.head?.headerFields[.age] == "18")
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a stale response is validated, and a 304 makes it fresh`() async throws {
    let bench = try CacheBench()
    bench.stub(
      .cached("one", "max-age=10", [.eTag: "\"a\"", .server: "old"]),
      .status(.notModified).fields([.eTag: "\"a\"", .cacheControl: "max-age=50", .server: "new"]))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(11))
    let answer = await bench.get()
    #expect(answer.text == "one")
    #expect(answer.status == "fwd=stale; fwd-status=304; stored")
    #expect(answer.head?.headerFields[.server] == "new")
    #expect(bench.mock.requests.last?.headers[.ifNoneMatch] == "\"a\"")
    bench.clock.advance(by: .seconds(40))
    #expect(await bench.get().status == "hit; ttl=10")
  }

  @Test func `a validation with a new response replaces the stored one`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10", [.eTag: "\"a\""]), .cached("two", "max-age=10", [.eTag: "\"b\""]))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(11))
    #expect(await bench.get().status == "fwd=stale; stored")
    let answer = await bench.get()
    #expect(answer.text == "two")
    #expect(answer.status == "hit; ttl=10")
  }

  @Test func `a 304 for another entity tag leads to a request without conditions`() async throws {
    let bench = try CacheBench()
    bench.stub(
      .cached("one", "max-age=0", [.eTag: "\"a\""]), .status(.notModified).field(.eTag, "\"b\""),
      .cached("two", "max-age=10", [.eTag: "\"b\""]))
    _ = await bench.get()
    let answer = await bench.get()
    #expect(answer.text == "two")
    #expect(bench.mock.requests.last?.headers[.ifNoneMatch] == nil)
  }

  @Test func `a 304 that nobody asked for is passed on and not stored`() async throws {
    let bench = try CacheBench()
    bench.stub(.status(.notModified).field(.cacheControl, "max-age=60"), .cached("one", "max-age=60"))
    #expect(await bench.get().code == 304)
    #expect(await bench.get().text == "one")
  }

  @Test func `a clock that goes back makes a response stale`() async throws {
    let date = Box(Date(timeIntervalSince1970: 1_800_000_000))
    let bench = try CacheBench { $0.now { date.value } }
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    _ = await bench.get()
    date.value -= 3_600
    #expect(await bench.get().text == "two")
  }

  @Test func `after the clock goes back, policies that take any age use a response`() async throws {
    let date = Box(Date(timeIntervalSince1970: 1_800_000_000))
    let bench = try CacheBench { $0.now { date.value } }
    bench.stub(.cached("one", "max-age=60"), .cached("two", "must-revalidate, max-age=60"))
    _ = await bench.get()
    await bench.session.finishBackgroundTasks()
    date.value -= 3_600
    #expect(await bench.get(CacheBench.url, [:], .onlyStored).status == "hit")
    #expect(await bench.get(CacheBench.url, [:], .preferStored).text == "one")
    #expect(await bench.get(CacheBench.url, [.cacheControl: "max-stale"]).text == "one")
    #expect(await bench.get(CacheBench.url, [.cacheControl: "max-stale=10000"]).text == "two")
    await bench.session.finishBackgroundTasks()
    date.value -= 3_600
    #expect(await bench.get(CacheBench.url, [:], .onlyStored).error == .notCached)
  }

  @Test func `a HEAD request is answered from the response to GET`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"))
    _ = await bench.get()
    let response = await bench.session.request(CacheBench.url, method: .head).serializingData().response
    #expect(response.cacheStatus?.isHit == true)
    #expect(response.response?.headerFields[.contentLength] == "3")
    #expect(response.data?.isEmpty ?? true)
  }

  @Test func `a response to HEAD with another entity tag removes the stored response`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=1", [.eTag: "\"a\""]), .cached("two", "max-age=60"))
    bench.mock.stub(.head, CacheBench.url, .status(.ok).field(.eTag, "\"b\""))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(2))
    _ = await bench.session.request(CacheBench.url, method: .head).serializingData().response
    #expect(await bench.get().text == "two")
    #expect(bench.mock.requests.last?.headers[.ifNoneMatch] == nil)
  }

  @Test(arguments: [
    (HTTPRequest.Method.post, 200, true), (.put, 204, true), (.delete, 303, true), (.patch, 404, false),
    (.post, 500, false), (.options, 200, false),
    (.query, 200, false), (.query, 303, false),
  ])
  func `a successful unsafe request removes the response of its URL`(
    method: HTTPRequest.Method, code: Int, removes: Bool
  ) async throws {
    let bench = try CacheBench { $0.redirector(.doNotFollow) }
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"))
    bench.mock.stub([method], CacheBench.url, .status(.init(code: code)))
    _ = await bench.get()
    let other = await bench.session.request(CacheBench.url, method: method).serializingData().response
    #expect(other.cacheStatus?.description == "fwd=method")
    #expect(await bench.get().text == (removes ? "two" : "one"))
  }

  @Test func `an unsafe request removes the responses that its Location and Content-Location name`() async throws {
    let bench = try CacheBench()
    let urls = ["https://example.com/a", "https://example.com/b", "https://other.example/a"]
    for url in urls { bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"), url: url) }
    bench.mock.stub(
      .post, "/new",
      .status(.created).fields([.location: "/a", .contentLocation: "b"]).field(.contentLocation, urls[2]))
    for url in urls { _ = await bench.get(url) }
    _ = await bench.session.request("https://example.com/new", method: .post).serializingData().response
    #expect(await bench.get(urls[0]).text == "two")
    #expect(await bench.get(urls[1]).text == "two")
    #expect(await bench.get(urls[2]).text == "one")
  }

  @Test func `an unsafe request prevents that an older response is stored`() async throws {
    let bench = try CacheBench()
    bench.stub(
      .cached("", "max-age=60").chunked(["o", "ne"], every: .seconds(5)), .cached("two", "max-age=60"))
    bench.mock.stub(.post, CacheBench.url, .status(.ok))
    async let first = bench.get()
    await bench.clock.waitForSleepers()
    _ = await bench.session.request(CacheBench.url, method: .post).serializingData().response
    bench.clock.advance(by: .seconds(5))
    #expect(await first.text == "one")
    #expect(await bench.get().text == "two")
  }

  @Test func `an unsafe request prevents that a response is stored whose head arrives later`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60").delay(.seconds(5)), .cached("two", "max-age=60"))
    bench.mock.stub(.post, CacheBench.url, .status(.ok))
    async let first = bench.get()
    await bench.clock.waitForSleepers()
    _ = await bench.session.request(CacheBench.url, method: .post).serializingData().response
    bench.clock.advance(by: .seconds(5))
    #expect(await first.text == "one")
    #expect(await bench.get().text == "two")
  }

  @Test(arguments: [false, true])
  func `a removal prevents that a response is stored that is under way`(removesAll: Bool) async throws {
    let bench = try CacheBench()
    bench.stub(
      .cached("one", "max-age=60").delay(.seconds(5)),
      .cached("", "max-age=60").chunked(["tw", "o"], every: .seconds(5)), .cached("three", "max-age=60"))
    for text in ["one", "two"] {
      async let answer = bench.get()
      await bench.clock.waitForSleepers()
      if removesAll { try await bench.cache.removeAll() } else { try await bench.cache.remove(CacheBench.url) }
      bench.clock.advance(by: .seconds(5))
      #expect(await answer.text == text)
      await bench.session.finishBackgroundTasks()
    }
    #expect(await bench.get().text == "three")
  }

  @Test func `trailers are stored without those of one user`() async throws {
    let bench = try CacheBench()
    let digest = try #require(HTTPField.Name("Digest"))
    bench.stub(
      .cached("", "max-age=60").chunked(["on", "e"]).trailers([digest: "sha-256=x", .setCookie: "session=1"]))
    let first = await bench.session.request(CacheBench.url).serializingString().response
    #expect(first.trailers == [digest: "sha-256=x", .setCookie: "session=1"])
    await bench.session.finishBackgroundTasks()
    let second = await bench.session.request(CacheBench.url).serializingString().response
    #expect(second.cacheStatus?.isHit == true)
    #expect(second.trailers == [digest: "sha-256=x"])
  }

  @Test func `an interrupted response is not stored`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60").truncated(afterBytes: 2), .cached("two", "max-age=60"))
    #expect(await bench.get().error == .connectionLost)
    #expect(await bench.get().text == "two")
  }

  @Test func `a request with a body is neither answered nor stored`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"), .cached("two", "max-age=60"), .cached("three", "max-age=60"))
    var request = try OutgoingRequest(CacheBench.url, body: .text("query"))
    request.options.allowsBodyWithGET = true
    let first = await bench.session.request(request).serializingString().response
    #expect(first.cacheStatus?.description == "fwd=bypass")
    _ = await bench.get()
    #expect(await bench.session.request(request).serializingString().response.value == "three")
  }

  @Test func `a redirect is stored by itself`() async throws {
    let bench = try CacheBench()
    bench.stub(.redirect(to: "/b", status: .movedPermanently).field(.cacheControl, "max-age=60"))
    bench.stub(.cached("one", "no-store"), .cached("two", "no-store"), url: "https://example.com/b")
    #expect(await bench.get().text == "one")
    #expect(await bench.get().text == "two")
    #expect(bench.mock.requests.count == 3)
  }

  @Test func `coded content is stored as it arrives, and decoded for each request`() async throws {
    let bench = try CacheBench { $0.contentCoding(Capitals()) }
    bench.stub(.cached("abc", "max-age=60", [.contentEncoding: "capitals"]))
    #expect(await bench.get().text == "ABC")
    #expect(await bench.get().text == "ABC")
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a stream and a download receive a stored response`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("a\nb\n", "max-age=60"))
    _ = await bench.get()
    let stream = bench.session.streamRequest(CacheBench.url)
    var lines: [String] = []
    for try await line in stream.serializingLines() { lines.append(line) }
    #expect(lines == ["a", "b"])
    #expect(stream.responseAttributes.cacheStatus?.isHit == true)
    let download = await bench.session.download(CacheBench.url).serializingString().response
    #expect(download.value == "a\nb\n")
    #expect(download.cacheStatus?.isHit == true)
  }

  @Test func `a stored response has a Date, and no answer has a Warning`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10"))
    let date = bench.date
    #expect(await bench.get().head?.headerFields[.date] == nil)
    bench.clock.advance(by: .seconds(20))
    let stale = await bench.get(CacheBench.url, [:], .preferStored)
    #expect(stale.status == "hit; ttl=-10")
    #expect(stale.head?.headerFields[.date] == date)
    #expect(stale.head?.headerFields[values: .init("Warning")!].first == nil)
  }

  @Test func `a hit waits for no limiter, and no open circuit refuses it`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.get, CacheBench.url, .cached("one", "max-age=60"))
      mock.stub(.get, "https://example.com/other", .failure(.connectionLost))
      let session = try Session.Builder().transport(mock).install(.cache(HTTPCache(memory: .megabytes(8))))
        .install(.rateLimit(1, per: .seconds(20))).install(.concurrencyLimit(1))
        .install(.circuitBreaker { ($0.minimumThroughput, $0.failureRatio) = (1, 0.1) }).build()
      func answer(_ url: String) async -> Answer { await Answer(session.request(url).serializingString().response) }
      try world.expect(await answer(CacheBench.url).text == "one", "no response")
      // It waits for its turn, and opens the circuit of the origin.
      try world.expect(await answer("https://example.com/other").error == .connectionLost, "no failure")
      for _ in 0..<5 {
        let hit = await answer(CacheBench.url)
        try world.expect(hit.status == "hit; ttl=40", "\(hit)")
      }
      try world.expect(world.clock.now.offset == .seconds(20), "\(world.clock.now.offset)")
      try world.expect(mock.requests.count == 2, "\(mock.requests.count) requests")
    }
  }

  @Test func `each decision is an event with its reason`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60"))
    _ = await bench.get()
    _ = await bench.get()
    let decisions = bench.mock.exchanges.flatMap(\.decisions).filter { $0.kind == .policy }.map(\.text)
    #expect(
      decisions == [
        "cache: sends the request: uri-miss", "cache: stores the response",
        "cache: answers with the stored response: hit; ttl=60",
      ])
  }
}
