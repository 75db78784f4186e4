import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import Testing

@Suite(.timeLimit(.minutes(1))) struct SelectionTests {
  @Test func `variants of a URL are stored side by side`() async throws {
    let bench = try CacheBench()
    bench.mock.stub(.get, CacheBench.url) { request in
      .cached(request.headers[.acceptLanguage] ?? "none", "max-age=60", [.vary: "Accept-Language"])
    }
    for language in ["en", "de", "en", "de", "EN"] {
      #expect(await bench.get(CacheBench.url, [.acceptLanguage: language]).text == language.lowercased())
    }
    #expect(bench.mock.requests.count == 2)
    #expect(await bench.get(CacheBench.url, [.acceptLanguage: "fr"]).status == "fwd=vary-miss; stored")
  }

  @Test(arguments: Place.available) func `a URL has at most 16 variants`(place: Place) async throws {
    try await place.withBench { bench in
      bench.mock.stub(.get, CacheBench.url, .cached("one", "max-age=3600", [.vary: "Accept-Language"]))
      for number in 0..<20 {
        _ = await bench.get(CacheBench.url, [.acceptLanguage: "x-\(number)"])
        await bench.advance(by: .seconds(1))
      }
      await bench.session.finishBackgroundTasks()
      try await bench.expectParts(Array(repeating: nil, count: 16))
      #expect(await bench.get(CacheBench.url, [.acceptLanguage: "x-19"]).status?.hasPrefix("hit") == true)
      #expect(await bench.get(CacheBench.url, [.acceptLanguage: "x-0"]).status == "fwd=vary-miss; stored")
    }
  }

  @Test(arguments: Place.available) func `a key has at most 8 KiB`(place: Place) async throws {
    try await place.withBench { bench in
      bench.mock.stub(.get, "/{any...}", .cached("one", "max-age=60"))
      let longest = "https://example.com/" + String(repeating: "a", count: (8 << 10) - 20)
      _ = await bench.get(longest)
      #expect(await bench.get(longest).status == "hit; ttl=60")
      #expect(await bench.get(longest + "a").status == "fwd=bypass")
    }
  }

  @Test func `a range is answered out of a whole response`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("0123456789", "max-age=60", [.eTag: "\"a\""]), .text("server"))
    _ = await bench.get()
    let answer = await bench.get(CacheBench.url, [.range: "bytes=2-4"])
    #expect(answer.text == "234")
    #expect(answer.code == 206)
    #expect(answer.head?.headerFields[.contentRange] == "bytes 2-4/10")
    #expect(answer.head?.headerFields[.contentLength] == "3")
    #expect(await bench.get(CacheBench.url, [.range: "bytes=2-4", .ifRange: "\"a\""]).text == "234")
    #expect(await bench.get(CacheBench.url, [.range: "bytes=2-4", .ifRange: "\"b\""]).text == "0123456789")
    #expect(await bench.get(CacheBench.url, [.range: "bytes=2-4,6-7"]).text == "server")
  }

  @Test func `conditions of the caller are evaluated on a fresh response`() async throws {
    let bench = try CacheBench()
    let modified = "Fri, 15 Jan 2027 07:00:00 GMT"
    bench.stub(.cached("one", "max-age=60", [.eTag: "\"a\"", .lastModified: modified]))
    _ = await bench.get()
    let answer = await bench.get(CacheBench.url, [.ifNoneMatch: "\"x\", W/\"a\""])
    #expect(answer.code == 304)
    #expect(answer.head?.headerFields[.eTag] == "\"a\"")
    #expect(await bench.get(CacheBench.url, [.ifNoneMatch: "\"x\""]).text == "one")
    #expect(await bench.get(CacheBench.url, [.ifModifiedSince: modified]).code == 304)
    #expect(await bench.get(CacheBench.url, [.ifModifiedSince: "Fri, 15 Jan 2027 06:00:00 GMT"]).text == "one")
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `conditions of the caller go to the server unchanged if the response is stale`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=1", [.eTag: "\"a\""]), .status(.notModified).field(.eTag, "\"a\""))
    _ = await bench.get()
    await bench.advance(by: .seconds(2))
    #expect(await bench.get(CacheBench.url, [.ifNoneMatch: "\"x\", \"a\""]).code == 304)
    #expect(bench.mock.requests.last?.headers[.ifNoneMatch] == "\"x\", \"a\"")
    // The 304 has confirmed the stored response as well.
    #expect(await bench.get().status == "hit; ttl=1")
  }

  @Test(
    arguments: [
      [.vary: "Accept-Language"], [.vary: "*"], [HTTPField.Name("No-Vary-Search")!: "params"],
    ] as [HTTPFields])
  func `a confirmation that changes which requests select the response removes it`(change: HTTPFields) async throws {
    let bench = try CacheBench()
    let confirmation = HTTPFields([HTTPField(name: .cacheControl, value: "max-age=60")] + change)
    bench.stub(
      .cached("one", "max-age=10", [.eTag: "\"a\""]), .status(.notModified).fields(confirmation),
      .cached("two", "max-age=60"))
    _ = await bench.get(CacheBench.url, [.acceptLanguage: "de"])
    await bench.advance(by: .seconds(20))
    let answer = await bench.get(CacheBench.url, [.acceptLanguage: "de"])
    #expect(answer.text == "one")
    #expect(answer.status == "fwd=stale; fwd-status=304")
    #expect(await bench.get(CacheBench.url, [.acceptLanguage: "en"]).text == "two")
  }
}
