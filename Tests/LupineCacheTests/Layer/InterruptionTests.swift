import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineStreams
import Testing

/// Responses that break off: their beginnings are kept if the rest can be requested.
@Suite(.timeLimit(.minutes(1))) struct InterruptionTests {
  private static let digits = Data("0123456789".utf8)

  private static func resource(_ data: Data = digits, _ tag: String? = "a") -> MockReply {
    MockReply.resource(data, etag: tag).field(.cacheControl, "max-age=60")
  }

  /// Reads a number of bytes, and cancels the request.
  private static func cancel(_ request: DataStreamRequest, after count: Int) async {
    var received = 0
    do {
      for try await bytes in request.serializingBytes() {
        received += bytes.count
        if received >= count { request.cancel() }
      }
    } catch {
      #expect(error.kind == .cancelled)
    }
  }

  @Test(
    arguments: Place.available, [NetworkFault.truncated(afterBytes: 4), .reset(afterBytes: 4), .stall(afterBytes: 4)])
  func `the beginning of a response that broke off is completed`(place: Place, fault: NetworkFault) async throws {
    try await place.withBench { bench in
      bench.stub(Self.resource().fault(fault), Self.resource())
      if case .stall = fault {
        await Self.cancel(bench.session.streamRequest(CacheBench.url), after: 4)
        await bench.session.finishBackgroundTasks()
      } else {
        #expect(await bench.get().error == .connectionLost)
      }
      let answer = await bench.get()
      #expect(answer.text == "0123456789")
      #expect(answer.status == "fwd=partial; fwd-status=206; stored")
      #expect(bench.mock.requests.last?.headers[.range] == "bytes=4-")
      #expect(await bench.get().status == "hit; ttl=60")
    }
  }

  @Test func `the beginning answers ranges, and is listed as a part`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource().truncated(afterBytes: 4), .cached("server", "no-store"))
    _ = await bench.get()
    #expect(await bench.get(CacheBench.url, [.range: "bytes=1-3"]).text == "123")
    try await bench.expectParts([0..<4])
    #expect(await bench.get(CacheBench.url, [.range: "bytes=1-4"]).text == "server")
  }

  @Test(arguments: [
    Self.resource(digits, nil), Self.resource(digits, "W/\"a\""),
    .cached("0123456789", "max-age=60", [.eTag: "\"a\"", .acceptRanges: "none"]),
    .cached("0123456789", "no-store", [.eTag: "\"a\""]),
    .cached("0123456789", "max-age=60", [.eTag: "\"a\"", .vary: "*"]),
    .cached("0123456789", "max-age=60", [.eTag: "\"a\""]).status(.notFound),
    .resource(digits, lastModified: "Fri, 15 Jan 2027 07:59:30 GMT").field(.cacheControl, "max-age=60"),
  ])
  func `what cannot be completed safely is dropped`(reply: MockReply) async throws {
    let bench = try CacheBench()
    bench.stub(reply.truncated(afterBytes: 4), .cached("server", "no-store"))
    #expect(await bench.get().error == .connectionLost)
    await bench.session.finishBackgroundTasks()
    try await bench.expectParts([])
    #expect(await bench.get().text == "server")
    #expect(bench.mock.requests.last?.headers[.range] == nil)
  }

  @Test func `Last-Modified that is a minute older than Date is a strong validator`() async throws {
    let bench = try CacheBench()
    let reply = MockReply.resource(Self.digits, lastModified: "Fri, 15 Jan 2027 07:00:00 GMT")
      .field(.cacheControl, "max-age=60")
    bench.stub(reply.truncated(afterBytes: 4), reply)
    _ = await bench.get()
    #expect(await bench.get().text == "0123456789")
    #expect(bench.mock.requests.last?.headers[.ifRange] == "Fri, 15 Jan 2027 07:00:00 GMT")
    #expect(bench.mock.requests.last?.headers[.range] == "bytes=4-")
  }

  @Test(arguments: Place.available) func `a response of unknown length is completed`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(
        MockReply.cached("", "max-age=60", [.eTag: "\"a\""]).chunked(["0123", "456789"]).reset(afterBytes: 6),
        Self.resource())
      _ = await bench.get()
      #expect(await bench.get(CacheBench.url, [.range: "bytes=2-3"]).head?.headerFields[.contentRange] == "bytes 2-3/*")
      #expect(await bench.get().text == "0123456789")
      #expect(bench.mock.requests.last?.headers[.range] == "bytes=6-")
      #expect(await bench.get().head?.headerFields[.contentLength] == "10")
    }
  }

  @Test(arguments: Place.available) func `a rest that breaks off prolongs the beginning`(place: Place) async throws {
    try await place.withBench { bench in
      bench.stub(Self.resource().truncated(afterBytes: 3), Self.resource().truncated(afterBytes: 4), Self.resource())
      #expect(await bench.get().error == .connectionLost)
      #expect(await bench.get().error == .connectionLost)
      #expect(await bench.get().text == "0123456789")
      #expect(bench.mock.requests.map { $0.headers[.range] } == [nil, "bytes=3-", "bytes=7-"])
      try await bench.expectParts([nil])
    }
  }

  @Test func `a response that breaks off does not replace a whole one`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource(), Self.resource().truncated(afterBytes: 3))
    _ = await bench.get()
    #expect(await bench.get(CacheBench.url, [:], .reload).error == .connectionLost)
    #expect(await bench.get().text == "0123456789")
    #expect(bench.mock.requests.count == 2)
  }

  @Test(arguments: Place.available) func `a large response is completed at its reader's pace`(place: Place) async throws
  {
    let data = Data((0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) })
    try await place.withBench { bench in
      bench.stub(Self.resource(data).truncated(afterBytes: 500_001), Self.resource(data))
      _ = await bench.get()
      let request = bench.session.streamRequest(CacheBench.url)
      var received = Data()
      for try await bytes in request.serializingBytes() { received += bytes }
      #expect(received == data)
      #expect(bench.mock.requests.last?.headers[.range] == "bytes=500001-")
      let next = await bench.session.request(CacheBench.url).serializingData().response
      #expect(next.value == data)
      #expect(bench.mock.requests.count == 2)
    }
  }

  @Test func `the completion can be cancelled, and keeps what has arrived`() async throws {
    let bench = try CacheBench()
    bench.stub(Self.resource().truncated(afterBytes: 3), Self.resource().stall(afterBytes: 2), Self.resource())
    _ = await bench.get()
    await Self.cancel(bench.session.streamRequest(CacheBench.url), after: 5)
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get().text == "0123456789")
    #expect(bench.mock.requests.last?.headers[.range] == "bytes=5-")
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `no answer mixes two versions, whatever breaks off`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let mock = MockTransport()
      let version = Box(0)
      let length = 64
      @Sendable func bytes(_ version: Int) -> Data {
        Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &+ version &* 97) })
      }
      mock.stub(.get, "/{any...}") { _ in
        let draw = world.random()
        if draw % 5 == 0 { version.change { $0 += 1 } }
        let now = version.value
        let reply = MockReply.resource(bytes(now), etag: "v\(now)")
          .field(.cacheControl, draw % 3 == 0 ? "max-age=3" : "max-age=0")
        return draw / 7 % 3 == 0 ? reply.truncated(afterBytes: Int(draw / 11 % 70)) : reply
      }
      let cache = HTTPCache(memory: .kilobytes(64))
      let session = try Session.Builder().transport(mock).install(.cache(cache)).build()
      let faults = Box<[String]>([])
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<60 {
          let start = Duration.milliseconds(Int64(world.random() % 20_000))
          let (kind, first, count) = (world.random() % 4, Int(world.random() % 64), Int(world.random() % 40))
          group.addTask {
            try? await world.sleep(for: start)
            let headers: HTTPFields =
              switch kind {
              case 1: [.range: "bytes=\(first)-\(first + count)"]
              case 2: [.range: "bytes=-\(count + 1)"]
              default: [:]
              }
            let response = await session.request("https://example.com/a", headers: RequestHeaders(headers))
              .serializingData().response
            guard let data = response.value, let head = response.response else { return }
            let tag = head.headerFields[.eTag]?.dropFirst(2).dropLast() ?? ""
            let whole = bytes(Int(tag) ?? -1)
            var expected = whole
            if head.status == .partialContent {
              let ends = (head.headerFields[.contentRange] ?? "").dropFirst(6).split { $0 == "-" || $0 == "/" }
              expected = whole[(Int(ends.first ?? "") ?? 0)...(Int(ends.dropFirst().first ?? "") ?? 0)]
            }
            if Array(data) != Array(expected) {
              faults.change { $0.append("\(headers) \(head.status.code) \(tag): \(Array(data))") }
            }
          }
        }
        await group.waitForAll()
      }
      await session.shutdown()
      try world.expect(faults.value.isEmpty, "\(faults.value)")
    }
  }
}
