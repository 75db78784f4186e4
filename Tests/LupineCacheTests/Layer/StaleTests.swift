import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineResilience
import LupineSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct StaleTests {
  @Test func `stale-while-revalidate answers at once and refreshes in the background`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10, stale-while-revalidate=30", [.eTag: "\"a\""]), .cached("two", "max-age=10"))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    let answer = await bench.get()
    #expect(answer.text == "one")
    #expect(answer.status == "hit; ttl=-10; detail=stale-while-revalidate")
    await bench.session.finishBackgroundTasks()
    #expect(bench.mock.requests.last?.headers[.ifNoneMatch] == "\"a\"")
    #expect(await bench.get().status == "hit; ttl=10")
    #expect(await bench.get().text == "two")
  }

  @Test func `a 304 in the background makes the stored response fresh`() async throws {
    let bench = try CacheBench()
    let control = "max-age=10, stale-while-revalidate=30"
    bench.stub(.cached("one", control, [.eTag: "\"a\""]), .status(.notModified).field(.eTag, "\"a\""))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    _ = await bench.get()
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get().status == "hit; ttl=10")
  }

  @Test func `after its window a stale response is validated`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10, stale-while-revalidate=30"), .cached("two", "max-age=10"))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(40))
    #expect(await bench.get().text == "two")
  }

  @Test func `one response is refreshed once at a time, and shutdown ends the refresh`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(
        .get, CacheBench.url, .sequence([.cached("one", "max-age=1, stale-while-revalidate=3600"), .stall]))
      let session = try Session.Builder().transport(mock).install(.cache(HTTPCache(memory: .megabytes(8)))).build()
      for _ in 0..<4 {
        let answer = await Answer(session.request(CacheBench.url).serializingString().response)
        try world.expect(answer.text == "one", "\(answer)")
        try await world.sleep(for: .seconds(5))
      }
      try world.expect(mock.requests.count == 2, "\(mock.requests.count) requests")
      // The response of the refresh never comes.
      await session.shutdown()
      try world.expect(world.clock.now.offset == .seconds(20), "\(world.clock.now.offset)")
    }
  }

  @Test func `a refresh that an unsafe request overtakes is not stored`() async throws {
    let bench = try CacheBench()
    bench.stub(
      .cached("one", "max-age=10, stale-while-revalidate=3600"), .cached("two", "max-age=60").delay(.seconds(5)),
      .cached("three", "max-age=60"))
    bench.mock.stub(.post, CacheBench.url, .status(.ok))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    #expect(await bench.get().text == "one")
    await bench.clock.waitForSleepers()
    _ = await bench.session.request(CacheBench.url, method: .post).serializingData().response
    bench.clock.advance(by: .seconds(5))
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get().text == "three")
  }

  @Test func `a request that stores nothing does not use a response that would be refreshed`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10, stale-while-revalidate=3600"), .cached("two", "max-age=60"))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    #expect(await bench.get(CacheBench.url, [:], .doNotStore).text == "two")
    await bench.session.finishBackgroundTasks()
    #expect(bench.mock.requests.count == 2)
    #expect(await bench.get(CacheBench.url, [:], .onlyStored).text == "one")
  }

  @Test(arguments: 0...3) func `the number of refreshes in the background is bounded`(limit: Int) async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      let fresh = MockReply.cached("one", "max-age=1, stale-while-revalidate=3600")
      mock.stub(.get, "https://example.com/{any}") { _ in mock.requests.count <= 4 ? fresh : .stall }
      let cache = HTTPCache(memory: .megabytes(8), .init { $0.backgroundRefreshes = limit })
      let session = try Session.Builder().transport(mock).install(.cache(cache)).build()
      for round in 0..<3 {
        for number in 0..<4 {
          let answer = await Answer(session.request("https://example.com/\(number)").serializingString().response)
          try world.expect(answer.text == "one", "\(answer) in round \(round)")
        }
        try await world.sleep(for: .seconds(10))
      }
      try world.expect(mock.requests.count == 4 + limit, "\(mock.requests.count) requests")
      await session.shutdown()
    }
  }

  @Test(arguments: [500, 502, 503, 504])
  func `stale-if-error answers in the place of an error of the server`(code: Int) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10, stale-if-error=60"), .text("error").status(.init(code: code)))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    let answer = await bench.get()
    #expect(answer.text == "one")
    #expect(answer.status == "fwd=stale; fwd-status=\(code); ttl=-10; detail=stale-if-error")
    bench.clock.advance(by: .seconds(50))
    #expect(await bench.get().code == code)
  }

  @Test func `stale-if-error answers in the place of a lost connection, also of a validation`() async throws {
    let bench = try CacheBench()
    bench.stub(
      .cached("one", "max-age=10, stale-if-error=60", [.eTag: "\"a\""]), .failure(.connectionLost))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    #expect(await bench.get().text == "one")
    bench.clock.advance(by: .seconds(60))
    #expect(await bench.get().error == .connectionLost)
  }

  @Test(arguments: [.malformedResponse, .proxyFailed, .timedOut(.connect), .hostNotFound] as [LupineError.Kind])
  func `stale-if-error answers in the place of an error that is a gateway's 502 or 504`(
    kind: LupineError.Kind
  ) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10, stale-if-error=60"), .failure(kind))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    #expect(await bench.get().text == "one")
  }

  @Test(arguments: [.certificateRejected, .tlsFailed, .addressRefused, .cancelled] as [LupineError.Kind])
  func `stale-if-error hides no error of trust and no decision of the program`(kind: LupineError.Kind) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10, stale-if-error=60"), .failure(kind))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    #expect(await bench.get().error == kind)
  }

  @Test func `stale-if-error answers while a circuit is open`() async throws {
    let bench = try CacheBench { $0.install(.circuitBreaker { ($0.minimumThroughput, $0.failureRatio) = (1, 0.1) }) }
    bench.stub(.cached("one", "max-age=10, stale-if-error=600"), .failure(.connectionLost))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    for _ in 0..<3 { #expect(await bench.get().text == "one") }
    #expect(bench.mock.requests.count == 2)
  }

  @Test func `a request that wants a validation receives the error of the server`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=10, stale-if-error=60", [.eTag: "\"a\""]), .status(.serviceUnavailable))
    _ = await bench.get()
    #expect(await bench.get(CacheBench.url, [:], .reload).code == 503)
    #expect(await bench.get(CacheBench.url, [:], .validate).code == 503)
    #expect(await bench.get(CacheBench.url, [.cacheControl: "no-cache"]).code == 503)
    #expect(await bench.get().text == "one")
  }

  @Test(arguments: ["must-revalidate", "no-cache"])
  func `a response that must be validated does not answer in the place of an error`(directive: String) async throws {
    let bench = try CacheBench()
    bench.stub(
      .cached("one", "max-age=10, stale-if-error=60, stale-while-revalidate=60, \(directive)"),
      .status(.serviceUnavailable))
    _ = await bench.get()
    bench.clock.advance(by: .seconds(20))
    #expect(await bench.get().code == 503)
  }
}
