import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineSupport
import Testing

/// Parts of responses: stored from 206s, joined, and completed.
@Suite(.timeLimit(.minutes(1))) struct PartsTests {
  private static let digits = Data("0123456789".utf8)
  private static let tag: HTTPFields = [.eTag: "\"a\""]

  /// A 206 with a text, as a server sends it.
  private static func part(
    _ text: String, _ range: String, _ control: String = "max-age=60", _ fields: HTTPFields = tag
  ) -> MockReply {
    MockReply.cached(text, control, fields).field(.contentRange, "bytes " + range).status(.partialContent)
  }

  private static func range(_ text: String) -> HTTPFields { [.range: "bytes=" + text] }

  /// A server whose resource has ranges and an entity tag.
  private static func resource(_ data: Data = digits, _ tag: String = "a") -> MockReply {
    MockReply.resource(data, etag: tag).field(.cacheControl, "max-age=60")
  }

  @Test(arguments: Place.available) func `a part answers the ranges that it has`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(Self.resource())
      #expect(await bench.get(CacheBench.url, Self.range("4-")).status == "fwd=uri-miss; stored")
      for (range, text, answered) in [
        ("5-6", "56", "5-6/10"), ("7-", "789", "7-9/10"), ("-2", "89", "8-9/10"), ("4-100", "456789", "4-9/10"),
      ] {
        let answer = await bench.get(CacheBench.url, Self.range(range))
        #expect(answer.text == text)
        #expect(answer.code == 206)
        #expect(answer.status == "hit; ttl=60")
        #expect(answer.head?.headerFields[.contentRange] == "bytes \(answered)")
        #expect(answer.head?.headerFields[.contentLength] == "\(text.count)")
      }
      #expect(bench.mock.requests.count == 1)
      try await bench.expectParts([4..<10])
      #expect(await bench.get(CacheBench.url, Self.range("3-4")).status == "fwd=partial; stored")
      #expect(await bench.get(CacheBench.url, Self.range("10-")).code == 416)
    }
  }

  @Test(arguments: Place.available)
  func `parts that touch or overlap are joined, and become the whole response`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(Self.resource())
      for range in ["2-4", "7-8", "3-6"] { _ = await bench.get(CacheBench.url, Self.range(range)) }
      try await bench.expectParts([2..<9])
      #expect(await bench.get(CacheBench.url, Self.range("2-8")).text == "2345678")
      for range in ["9-9", "0-2"] { _ = await bench.get(CacheBench.url, Self.range(range)) }
      #expect(bench.mock.requests.count == 5)
      let answer = await bench.get()
      #expect(answer.text == "0123456789")
      #expect(answer.code == 200)
      #expect(answer.status == "hit; ttl=60")
      #expect(answer.head?.headerFields[.contentRange] == nil)
      #expect(answer.head?.headerFields[.contentLength] == "10")
      try await bench.expectParts([nil])
    }
  }

  @Test(arguments: Place.available)
  func `a request for the whole fetches only the rest of a stored beginning`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(
        Self.part("0123", "0-3/10", "max-age=60", [.eTag: "\"a\"", .server: "old", .contentLanguage: "de"]),
        Self.part("456789", "4-9/10", "max-age=90", [.eTag: "\"a\"", .server: "new", .setCookie: "a=b"]))
      _ = await bench.get(CacheBench.url, Self.range("0-3"))
      await bench.advance(by: .seconds(100))
      let answer = await bench.get()
      #expect(answer.text == "0123456789")
      #expect(answer.code == 200)
      #expect(answer.status == "fwd=partial; fwd-status=206; stored")
      #expect(answer.head?.headerFields[.contentLength] == "10")
      #expect(answer.head?.headerFields[.contentRange] == nil)
      #expect(answer.head?.headerFields[.contentLanguage] == "de")
      #expect(answer.head?.headerFields[.server] == "new")
      #expect(answer.head?.headerFields[.setCookie] == "a=b")
      #expect(bench.mock.requests.last?.headers[.range] == "bytes=4-")
      #expect(bench.mock.requests.last?.headers[.ifRange] == "\"a\"")
      let next = await bench.get()
      #expect(next.text == "0123456789")
      #expect(next.status == "hit; ttl=90")
      #expect(next.head?.headerFields[.setCookie] == nil)
      #expect(bench.mock.requests.count == 2)
    }
  }

  @Test(arguments: Place.available)
  func `another version in the place of the rest replaces the stored beginning`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(Self.resource(), Self.resource(Data("abcdefghij".utf8), "b"))
      _ = await bench.get(CacheBench.url, Self.range("0-3"))
      #expect(await bench.get().text == "abcdefghij")
      #expect(await bench.get(CacheBench.url, Self.range("0-3")).text == "abcd")
      #expect(bench.mock.requests.count == 2)
      try await bench.expectParts([nil])
    }
  }

  @Test(
    arguments: Place.available,
    [
      ("456789", "4-9/10", [.eTag: "\"b\""]), ("456789", "4-9/10", [.eTag: "W/\"a\""]), ("456789", "4-9/10", [:]),
      ("4567890", "4-10/11", [.eTag: "\"a\""]), ("56789", "5-9/10", [.eTag: "\"a\""]),
      ("3456789", "3-9/10", [.eTag: "\"a\""]), ("45678", "4-8/10", [.eTag: "\"a\""]),
      ("456789", "4-9/*", [.eTag: "\"a\""]), ("456789", "9-4/10", [.eTag: "\"a\""]),
      ("45678", "4-9/10", [.eTag: "\"a\""]), ("456789", "4-9/10", [.eTag: "\"a\"", .contentEncoding: "x"]),
      ("", "*/10", [.eTag: "\"a\""]),
    ] as [(String, String, HTTPFields)])
  func `what does not continue the stored beginning is never joined to it`(
    place: Place, rest: (text: String, range: String, fields: HTTPFields)
  ) async throws {
    try await place.withBench { bench in
      bench.stub(
        Self.resource(), Self.part(rest.text, rest.range, "max-age=60", rest.fields),
        .cached("abcdefghij", "max-age=60", [.eTag: "\"b\""]))
      _ = await bench.get(CacheBench.url, Self.range("0-3"))
      #expect(await bench.get().text == "abcdefghij")
      #expect(bench.mock.requests.last?.headers[.range] == nil)
      #expect(await bench.get().status == "hit; ttl=60")
    }
  }

  @Test(arguments: ["4-9/10", "4-9/*", "0-9/10", nil])
  func `a 200 with the bytes of the rest is taken neither for the rest nor for the whole`(range: String?) async throws {
    let bench = try CacheBench()
    let fields: HTTPFields = range.map { [.eTag: "\"a\"", .contentRange: "bytes " + $0] } ?? Self.tag
    bench.stub(Self.resource(), .cached("456789", "max-age=60", fields), Self.resource())
    _ = await bench.get(CacheBench.url, Self.range("0-3"))
    #expect(await bench.get().text == "0123456789")
    #expect(bench.mock.requests.map { $0.headers[.range] } == ["bytes=0-3", "bytes=4-", nil])
    #expect(await bench.get().status == "hit; ttl=60")
  }

  @Test func `a response whose Content-Range contradicts its status is not stored`() async throws {
    let bench = try CacheBench()
    bench.stub(.cached("456789", "max-age=60", [.contentRange: "bytes 4-9/10"]), .cached("server", "no-store"))
    #expect(await bench.get().text == "456789")
    #expect(await bench.get().text == "server")
  }

  @Test func `416 in the place of the rest leads to a request for the whole`() async throws {
    let bench = try CacheBench()
    bench.stub(
      Self.resource(), .status(.rangeNotSatisfiable).field(.contentRange, "bytes */3"), .cached("abc", "max-age=60"))
    _ = await bench.get(CacheBench.url, Self.range("0-3"))
    #expect(await bench.get().text == "abc")
    #expect(bench.mock.requests.count == 3)
  }

  @Test(arguments: ["45", "456789x"])
  func `a rest that is shorter or longer than stated fails, and the next request is for the whole`(
    rest: String
  ) async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource(), Self.part("", "4-9/10").chunked([rest]), Self.resource())
    _ = await bench.get(CacheBench.url, Self.range("0-3"))
    #expect(await bench.get().error == .malformedResponse)
    #expect(await bench.get().text == "0123456789")
    #expect(bench.mock.requests.last?.headers[.range] == nil)
  }

  @Test(arguments: [
    Self.part("01234", "0-4/10"), Self.part("56789", "5-9/*"), Self.part("5678", "5-9/10"), Self.part("56789", "5-9"),
    Self.part("56789", "5-9/9"), Self.part("56789", "9-5/10"), Self.part("56789", "5-9/10").field(.contentRange, "x"),
    Self.part("--a", "5-9/10").field(.contentRange, "bytes 1-2/10"),
    .cached("--a", "max-age=60", [.contentType: "multipart/byteranges; boundary=a"]).status(.partialContent),
    Self.part("56789", "5-9/10", "no-store"), Self.part("56789", "5-9/10", "max-age=60", [.vary: "*"]),
  ])
  func `a 206 that is not the requested part, or may not be stored, is passed on alone`(reply: MockReply) async throws {
    let bench = try CacheBench()
    bench.stub(reply, .cached("server", "no-store"))
    _ = await bench.get(CacheBench.url, Self.range("5-9"))
    await bench.session.finishBackgroundTasks()
    try await bench.expectParts([])
    #expect(await bench.get(CacheBench.url, Self.range("5-9")).text == "server")
  }

  @Test func `a 206 to a request with If-Range is not stored, for its head may lack fields`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource())
    let headers: HTTPFields = [.range: "bytes=0-3", .ifRange: "\"a\""]
    #expect(await bench.get(CacheBench.url, headers).code == 206)
    try await bench.expectParts([])
  }

  @Test(
    arguments: [
      (tag, tag, true), (tag, [.eTag: "\"b\""], false), ([.eTag: "W/\"a\""], [.eTag: "W/\"a\""], false),
      ([:], [:], false), (tag, [:], false), ([.eTag: "a"], [.eTag: "a"], false),
      (modified(-60), modified(-60), true), (modified(-59), modified(-59), false),
      (modified(-60), modified(-61), false),
      (tag, [.eTag: "\"a\"", .contentEncoding: "x"], false),
    ] as [(HTTPFields, HTTPFields, Bool)])
  func `parts are joined under the same strong validator alone`(
    first: HTTPFields, second: HTTPFields, isJoined: Bool
  ) async throws {
    let bench = try CacheBench()
    bench.stub(
      Self.part("01234", "0-4/10", "max-age=60", first), Self.part("56789", "5-9/10", "max-age=60", second),
      .cached("server", "no-store"))
    for range in ["0-4", "5-9"] { _ = await bench.get(CacheBench.url, Self.range(range)) }
    #expect(await bench.get(CacheBench.url, Self.range("5-9")).text == "56789")
    #expect(await bench.get().text == (isJoined ? "0123456789" : "server"))
  }

  /// `Last-Modified` some seconds from the time at which the clocks of tests begin.
  private static func modified(_ seconds: Double) -> HTTPFields {
    let date = TestClock().date
    return [
      .lastModified: HTTPDate.text(date.addingTimeInterval(seconds)) ?? "", .date: HTTPDate.text(date) ?? "",
    ]
  }

  @Test(arguments: Place.available)
  func `a part that differs in common bytes replaces the older one`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(Self.part("01234", "0-4/10"), Self.part("x56789", "4-9/10"), .cached("server", "no-store"))
      for range in ["0-4", "4-9"] { _ = await bench.get(CacheBench.url, Self.range(range)) }
      try await bench.expectParts([4..<10])
      #expect(await bench.get(CacheBench.url, Self.range("0-4")).text == "server")
    }
  }

  @Test func `a part of another length replaces the older one`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.part("01234", "0-4/10"), Self.part("56789", "5-9/11"))
    for range in ["0-4", "5-9"] { _ = await bench.get(CacheBench.url, Self.range(range)) }
    await bench.session.finishBackgroundTasks()
    try await bench.expectParts([5..<10])
  }

  @Test func `small parts beside a long one are not joined before they complete it`() async throws {
    let bench = try CacheBench()
    let data = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
    bench.stub(Self.resource(data))
    for range in ["0-989", "990-990", "992-999"] { _ = await bench.get(CacheBench.url, Self.range(range)) }
    await bench.session.finishBackgroundTasks()
    #expect(Set(try await bench.parts) == [0..<990, 990..<991, 992..<1_000])
    _ = await bench.get(CacheBench.url, Self.range("991-991"))
    #expect(await bench.session.request(CacheBench.url).serializingData().response.value == data)
    #expect(bench.mock.requests.count == 4)
  }

  @Test func `the parts of a URL count as its variants, of which there are 16`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource(Data(count: 100)))
    for number in 0..<20 {
      _ = await bench.get(CacheBench.url, Self.range("\(number * 3)-\(number * 3)"))
      await bench.advance(by: .seconds(1))
    }
    await bench.session.finishBackgroundTasks()
    #expect(try await bench.cache.entries.count == 16)
  }

  @Test(arguments: Place.available) func `a stale part is validated`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(Self.resource())
      _ = await bench.get(CacheBench.url, Self.range("2-5"))
      await bench.advance(by: .seconds(61))
      let answer = await bench.get(CacheBench.url, Self.range("3-4"))
      #expect(answer.text == "34")
      #expect(answer.code == 206)
      #expect(answer.status == "fwd=stale; fwd-status=304; stored")
      #expect(await bench.get(CacheBench.url, Self.range("2-5")).status == "hit; ttl=60")
    }
  }

  @Test func `a stale part of another version is replaced`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource(), Self.resource(Data("abcdefghij".utf8), "b"))
    _ = await bench.get(CacheBench.url, Self.range("2-5"))
    await bench.advance(by: .seconds(61))
    #expect(await bench.get(CacheBench.url, Self.range("3-4")).text == "de")
    try await bench.expectParts([3..<5])
  }

  @Test func `a part is refreshed in the background as a part`() async throws {
    let bench = try CacheBench()
    let control = "max-age=1, stale-while-revalidate=60"
    bench.stub(Self.part("2345", "2-5/10", control), Self.part("cd", "2-3/10", control, [.eTag: "\"b\""]))
    _ = await bench.get(CacheBench.url, Self.range("2-5"))
    await bench.advance(by: .seconds(10))
    #expect(await bench.get(CacheBench.url, Self.range("2-3")).text == "23")
    await bench.session.finishBackgroundTasks()
    #expect(bench.mock.requests.last?.headers[.range] == "bytes=2-3")
    #expect(await bench.get(CacheBench.url, Self.range("2-3")).text == "cd")
    #expect(bench.mock.requests.count == 2)
  }

  @Test func `a part answers neither HEAD, nor conditions, nor only-if-cached for the whole`() async throws {
    let bench = try CacheBench()
    bench.mock.stub([.get, .head], CacheBench.url, Self.resource())
    _ = await bench.get(CacheBench.url, Self.range("0-3"))
    let head = await bench.session.request(CacheBench.url, method: .head).serializingData().response
    #expect(head.cacheStatus?.isHit == false)
    let headers: HTTPFields = [.range: "bytes=0-1", .ifNoneMatch: "\"a\""]
    #expect(await bench.get(CacheBench.url, headers).status == "fwd=partial")
    #expect(await bench.get(CacheBench.url, [:], .onlyStored).error == .notCached)
    #expect(await bench.get(CacheBench.url, Self.range("0-1"), .onlyStored).text == "01")
    #expect(await bench.get(CacheBench.url, [.cacheControl: "only-if-cached"]).code == 504)
    #expect(bench.mock.requests.count == 3)
  }

  @Test func `If-Range is evaluated on a part`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource(), .cached("server", "no-store"))
    _ = await bench.get(CacheBench.url, Self.range("0-3"))
    #expect(await bench.get(CacheBench.url, [.range: "bytes=0-1", .ifRange: "\"a\""]).text == "01")
    #expect(await bench.get(CacheBench.url, [.range: "bytes=0-1", .ifRange: "\"b\""]).text == "server")
  }

  @Test(arguments: Place.available) func `a part is for its user alone`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(Self.resource(), .cached("bob", "no-store"))
      let alice: HTTPFields = [.authorization: "Bearer alice", .range: "bytes=0-3"]
      let bob: HTTPFields = [.authorization: "Bearer bob", .range: "bytes=0-3"]
      _ = await bench.get(CacheBench.url, alice)
      #expect(await bench.get(CacheBench.url, alice).text == "0123")
      #expect(await bench.get(CacheBench.url, bob).text == "bob")
      #expect(await bench.get(CacheBench.url, [.authorization: "Bearer bob"]).text == "bob")
      #expect(bench.mock.requests.last?.headers[.range] == nil)
      #expect(await bench.get(CacheBench.url, alice).text == "0123")
    }
  }

  @Test(arguments: ["private", "max-age=60"]) func `a shared cache stores no user's part`(control: String) async throws
  {
    let cache = HTTPCache(memory: .megabytes(8), .init { $0.isShared = true })
    let bench = try CacheBench(cache: cache)
    bench.stub(Self.part("0123", "0-3/10", control))
    _ = await bench.get(CacheBench.url, [.authorization: "Bearer alice", .range: "bytes=0-3"])
    await bench.session.finishBackgroundTasks()
    try await bench.expectParts([])
  }

  @Test func `parts of variants are kept apart`() async throws {
    let bench = try CacheBench()
    bench.mock.stub(.get, CacheBench.url) { request in
      let text = request.headers[.acceptLanguage] == "de" ? "abcdefghij" : "0123456789"
      return Self.resource(Data(text.utf8), "same").field(.vary, "Accept-Language")
    }
    for (language, range, text) in [("de", "0-4", "abcde"), ("en", "5-9", "56789"), ("en", "0-4", "01234")] {
      let headers: HTTPFields = [.acceptLanguage: language, .range: "bytes=\(range)"]
      #expect(await bench.get(CacheBench.url, headers).text == text)
    }
    #expect(await bench.get(CacheBench.url, [.acceptLanguage: "en"]).text == "0123456789")
    #expect(bench.mock.requests.count == 3)
    #expect(await bench.get(CacheBench.url, [.acceptLanguage: "de"]).text == "abcdefghij")
  }

  @Test func `an unsafe request removes the parts`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource())
    bench.mock.stub(.post, CacheBench.url, .status(.ok))
    _ = await bench.get(CacheBench.url, Self.range("0-3"))
    _ = await bench.session.request(CacheBench.url, method: .post).serializingData().response
    #expect(await bench.get(CacheBench.url, Self.range("0-3")).status == "fwd=uri-miss; stored")
  }

  @Test func `a whole response takes the place of its parts, and a part of it is not stored`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource())
    _ = await bench.get(CacheBench.url, Self.range("3-4"))
    _ = await bench.get(CacheBench.url, [:], .reload)
    try await bench.expectParts([nil])
    _ = await bench.get(CacheBench.url, Self.range("3-4"), .reload)
    try await bench.expectParts([nil])
    #expect(bench.mock.requests.count == 3)
  }
}
