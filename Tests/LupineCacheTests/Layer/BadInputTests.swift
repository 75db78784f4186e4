import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineStreams
import Testing

/// Servers that send what they should not, and clocks that jump.
@Suite(.timeLimit(.minutes(1))) struct BadInputTests {
  private static let tag: HTTPFields = [.eTag: "\"a\""]
  private static let past = "Fri, 15 Jan 2027 07:00:00 GMT"
  private static let future = "Fri, 15 Jan 2027 09:00:00 GMT"

  private static func head(_ fields: [(HTTPField.Name, String)]) -> MockReply {
    var reply = MockReply.text("one")
    for (name, value) in fields { reply = reply.field(name, value) }
    return reply
  }

  /// Fields of a response, and whether it is fresh for the next request; `nil` if it is not even stored.
  private static let lifetimes: [([(HTTPField.Name, String)], Bool)] = [
    ([(.cacheControl, "max-age=\"60\"")], true), ([(.cacheControl, "MAX-AGE=60")], true),
    ([(.cacheControl, "max-age=60, max-age=0")], true), ([(.cacheControl, "max-age=0, max-age=60")], false),
    ([(.cacheControl, "max-age=60"), (.cacheControl, "max-age=0")], true),
    ([(.cacheControl, "a=\"b, no-store\", max-age=60")], true), ([(.cacheControl, "max-age=60,,;")], true),
    ([(.cacheControl, "max-age=60, x=\"open")], false), ([(.cacheControl, "max-age=1e3")], false),
    ([(.cacheControl, "max-age")], false), ([(.cacheControl, "max-age=-1")], false),
    ([(.cacheControl, "max-age=''60")], false), ([(.cacheControl, "max-age=99999999999999999999")], true),
    ([(.cacheControl, "no-cache=\"\", max-age=60")], false), ([(.cacheControl, "no-cache=\"a b\", max-age=60")], false),
    ([(.expires, future)], true), ([(.expires, past)], false), ([(.expires, "0")], false), ([(.expires, "-1")], false),
    ([(.expires, "")], false), ([(.expires, "Fri, 32 Jan 2027 09:00:00 GMT")], false),
    ([(.expires, "Fri, 15 Jan 2027 25:00:00 GMT")], false), ([(.expires, future + " "), (.expires, future)], false),
    ([(.expires, "0"), (.lastModified, "Fri, 15 Jan 2021 07:00:00 GMT")], false),
    ([(.expires, "tomorrow"), (.cacheControl, "max-age=60")], true), ([(.lastModified, "Fri, 15 Jan 2021")], false),
    ([(.lastModified, future)], false), ([(.date, "yesterday"), (.cacheControl, "max-age=60")], true),
    ([(.date, "yesterday"), (.expires, future)], true), ([(.age, "abc"), (.cacheControl, "max-age=60")], true),
    ([(.age, "-5"), (.cacheControl, "max-age=60")], true), ([(.age, "70"), (.cacheControl, "max-age=60")], false),
    ([(.age, "70, 0"), (.cacheControl, "max-age=60")], false),
    ([(.age, "99999999999999999999"), (.cacheControl, "max-age=60")], false),
    ([(.cacheControl, "stale-while-revalidate=\"x\", max-age=0")], false),
  ]

  @Test(arguments: Place.available)
  func `dates and directives that are invalid, repeated or quoted count as RFC 9111 says`(place: Place) async throws {
    for (fields, isFresh) in Self.lifetimes {
      try await place.withBench { bench in
        bench.stub(Self.head(fields).field(.eTag, "\"a\""), .text("two"))
        _ = await bench.get()
        await bench.session.finishBackgroundTasks()
        let answer = await bench.get()
        #expect(answer.text == (isFresh ? "one" : "two"), "\(fields)")
        // Whatever is stale is offered for a validation; an open quote may hide no-store, so nothing is stored then.
        let isMalformed = fields.contains { $0.1.contains("\"open") }
        if !isFresh, !isMalformed { #expect(bench.mock.requests.last?.headers[.ifNoneMatch] == "\"a\"", "\(fields)") }
      }
    }
  }

  @Test(arguments: ["a, b", "\"a\", \"b\"", "", "W/", "\u{e9}"])
  func `an entity tag that is none never makes another response current`(tag: String) async throws {
    let bench = try CacheBench()
    bench.mock.stub(.get, CacheBench.url) { request in
      request.headers.contains(.ifNoneMatch) ? .status(.notModified).field(.eTag, "\"b\"") : Self.head([(.eTag, tag)])
    }
    for _ in 0..<3 { #expect(await bench.get().text == "one") }
  }

  @Test(arguments: Place.available) func `a 304 without an entry is passed on`(place: Place) async throws {
    try await place.withBench { bench in
      let reply = MockReply.status(.notModified).fields([.eTag: "\"a\"", .cacheControl: "max-age=60"])
      bench.stub(reply, reply, .text("one"))
      #expect(await bench.get().code == 304)
      #expect(await bench.get(CacheBench.url, [.range: "bytes=0-1"]).code == 304)
      #expect(await bench.get().text == "one")
      try await bench.expectParts([])
    }
  }

  @Test(arguments: Place.available) func `a 304 to a request for the rest is passed on`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(
        MockReply.cached("012", "max-age=60", [.eTag: "\"a\"", .contentRange: "bytes 0-2/6"]).status(.partialContent),
        .status(.notModified).field(.eTag, "\"a\""), .text("one"))
      _ = await bench.get(CacheBench.url, [.range: "bytes=0-2"])
      #expect(await bench.get().code == 304)
      #expect(await bench.get().text == "one")
    }
  }

  @Test(arguments: Place.available)
  func `a validator that changes between a response and its confirmation`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(
        .cached("one", "max-age=1", [.eTag: "\"a\""]),
        .status(.notModified).fields([.eTag: "\"b\"", .cacheControl: "max-age=60"]),
        .cached("two", "max-age=60", [.eTag: "\"b\""]))
      _ = await bench.get()
      await bench.advance(by: .seconds(2))
      #expect(await bench.get().text == "two")
      #expect(await bench.get().status == "hit; ttl=60")
      #expect(bench.mock.requests.count == 3)
    }
  }

  @Test(arguments: Place.available) func `a clock that jumps back makes nothing fresh`(place: Place) async throws {
    let date = Box(Date(timeIntervalSince1970: 1_800_000_000))
    try await place.withBench(.init(), { $0.now { date.value } }) { bench in
      bench.stub(
        .cached("one", "max-age=60, stale-while-revalidate=600, stale-if-error=600", Self.tag),
        .status(.notModified).fields(Self.tag), .failure(.connectionLost), .cached("two", "max-age=60"))
      _ = await bench.get()
      date.value -= 3_600
      // The server confirms it at the new time.
      #expect(await bench.get().status == "fwd=stale; fwd-status=304; stored")
      #expect(await bench.get().text == "one")
      date.value -= 3_600
      #expect(await bench.get().error == .connectionLost)
      #expect(await bench.get().text == "two")
      date.value += 7_200
      #expect(await bench.get().status == "fwd=stale; stored")
    }
  }

  @Test(arguments: Place.available) func `a clock that jumps back makes no part fresh`(place: Place) async throws {
    let date = Box(Date(timeIntervalSince1970: 1_800_000_000))
    try await place.withBench(.init(), { $0.now { date.value } }) { bench in
      bench.stub(MockReply.resource(Data("012345".utf8), etag: "a").field(.cacheControl, "max-age=60"))
      _ = await bench.get(CacheBench.url, [.range: "bytes=0-2"])
      date.value -= 3_600
      #expect(await bench.get(CacheBench.url, [.range: "bytes=0-2"]).status == "fwd=stale; fwd-status=304; stored")
    }
  }

  @Test(arguments: Place.available)
  func `a server that never finishes ends with the timeout, and nothing whole is stored`(place: Place) async throws {
    try await place.withBench(.init(), { $0.timeouts(idle: .seconds(30)) }) { bench in
      bench.stub(
        MockReply.cached("012345", "max-age=60").stall(afterBytes: 3), .cached("two", "max-age=60"))
      async let first = bench.get()
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .seconds(30))
      #expect(await first.error == .timedOut(.idle))
      // The store may have missed its time limit meanwhile, and is then not used for a second.
      await bench.advance(by: .seconds(2))
      #expect(await bench.get().text == "two")
      // The second response alone.
      try await bench.expectParts([nil])
    }
  }
}
