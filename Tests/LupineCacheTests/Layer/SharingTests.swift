import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineStreams
import Testing

@testable import LupineCache

/// Requests that read a response while another request receives it.
@Suite(.timeLimit(.minutes(1))) struct SharingTests {
  private typealias Stage = SharingStage
  private static let digits = Data("0123456789".utf8)

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a request reads the bytes that have arrived, and the others as they arrive`(
    seed: UInt64
  ) async throws {
    try await withSimulation(seed: seed) { world in
      let stage = try Stage([PacedOrigin(data: Self.digits)])
      async let first = stage.get(1, after: .zero, in: world)
      try await world.sleep(for: .milliseconds(4_500))
      var pieces: [(String, Duration)] = []
      for try await bytes in stage.session.streamRequest(CacheBench.url).serializingBytes() {
        pieces.append((String(decoding: bytes, as: UTF8.self), world.clock.now.offset))
      }
      try world.expect(pieces.map(\.0).joined() == "0123456789", "\(pieces)")
      try world.expect(pieces.first?.0 == "01234", "\(pieces)")
      try world.expect(pieces.first?.1 == .milliseconds(4_500), "\(pieces)")
      try world.expect(pieces.last?.1 == .seconds(9), "\(pieces)")
      try world.expect(await first.first?.text == "0123456789", "the first request")
      try world.expect(stage.mock.requests.count == 1, "\(stage.mock.requests.count) requests")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a slow reader delays neither the first request nor the others`() async throws {
    try await withSimulation { world in
      let stage = try Stage([PacedOrigin(data: Data(repeating: 7, count: 1 << 20), piece: 1 << 17)])
      async let first = stage.get(1, after: .zero, in: world)
      async let others = stage.get(3, after: .seconds(1), in: world)
      try await world.sleep(for: .seconds(1))
      var count = 0
      for try await bytes in stage.session.streamRequest(CacheBench.url).serializingBytes() {
        count += bytes.count
        if count == bytes.count {
          _ = await (first, others)
          try world.expect(world.clock.now.offset == .seconds(7), "\(world.clock.now.offset)")
        }
      }
      try world.expect(count == 1 << 20, "\(count) bytes")
      try world.expect(stage.mock.requests.count == 1, "\(stage.mock.requests.count) requests")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>, ["\"a\"", "W/\"a\"", nil])
  func `after a failure one more request serves all others`(seed: UInt64, tag: String?) async throws {
    try await withSimulation(seed: seed) { world in
      let stage = try Stage([
        PacedOrigin(data: Self.digits, tag: tag, resetAfter: 4), PacedOrigin(data: Self.digits, tag: tag),
      ])
      async let early = stage.get(5, after: .milliseconds(100), in: world)
      async let late = stage.get(5, after: .milliseconds(2_500 + Int64(seed)), in: world)
      let first = await stage.get(1, after: .zero, in: world)
      try world.expect(first.first?.error == .connectionLost, "\(first)")
      let answers = await early + late
      try world.expect(answers.allSatisfy { $0.text == "0123456789" }, "\(answers)")
      let requests = stage.mock.requests
      try world.expect(requests.count == 2, "\(requests.count) requests")
      try world.expect(requests.last?.headers[.range] == (tag == "\"a\"" ? "bytes=4-" : nil), "\(requests)")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `if the first request is cancelled before its head, one of the others takes its place`(
    seed: UInt64
  ) async throws {
    try await withSimulation(seed: seed) { world in
      let stage = try Stage([PacedOrigin(data: Self.digits)])
      let mock = MockTransport()
      mock.stub(.get, CacheBench.url, .cached("one", "max-age=60").delay(.seconds(1)))
      let session = try Session.Builder().transport(mock).install(.cache(stage.cache)).build()
      let first = session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      try await world.sleep(for: .milliseconds(1))
      let others = (0..<10).map { _ in
        Task(executorPreference: world.executor) {
          await Answer(session.request(CacheBench.url).serializingString().response)
        }
      }
      try await world.sleep(for: .milliseconds(500))
      first.cancel()
      for other in others { try world.expect(await other.value.text == "one", "another request") }
      _ = await task.value
      try world.expect(mock.requests.count == 2, "\(mock.requests.count) requests")
      await session.shutdown()
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a content that has changed ends the others with an error if the transfer fails`() async throws {
    for tags in [("\"a\"", "\"b\""), (nil, nil)] as [(String?, String?)] {
      try await withSimulation { world in
        let stage = try Stage([
          PacedOrigin(data: Self.digits, tag: tags.0, resetAfter: 4),
          PacedOrigin(data: Data("abcdefghij".utf8), tag: tags.1),
        ])
        async let first = stage.get(1, after: .zero, in: world)
        let answers = await stage.get(3, after: .milliseconds(100), in: world)
        try world.expect(answers.allSatisfy { $0.text == nil && $0.error == .connectionLost }, "\(answers)")
        _ = await first
        try await stage.expectNothingLeft(world)
      }
    }
  }

  @Test func `a rest with the status of a whole response continues nothing`() async throws {
    try await withSimulation { world in
      let zeros = Data(repeating: 0x30, count: 10)
      let stage = try Stage([PacedOrigin(data: zeros, resetAfter: 4), PacedOrigin(data: zeros, restStatus: .ok)])
      async let first = stage.get(1, after: .zero, in: world)
      let answers = await stage.get(3, after: .milliseconds(100), in: world)
      try world.expect(answers.allSatisfy { $0.text == nil && $0.error == .connectionLost }, "\(answers)")
      _ = await first
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `if the store has no room for the rest, each request gets its own rest`() async throws {
    try await withSimulation { world in
      let stage = try Stage([PacedOrigin(data: Self.digits)], .full(after: 4))
      async let first = stage.get(1, after: .zero, in: world)
      let answers = await stage.get(3, after: .milliseconds(1_500), in: world)
      try world.expect((answers + (await first)).allSatisfy { $0.text == "0123456789" }, "\(answers)")
      let ranges = stage.mock.requests.map { $0.headers[.range] }
      try world.expect(ranges == [nil, "bytes=4-", "bytes=4-", "bytes=4-"], "\(ranges)")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `without a strong validator the rest is an error if the store has no room for it`() async throws {
    try await withSimulation { world in
      let stage = try Stage([PacedOrigin(data: Self.digits, tag: nil)], .full(after: 4))
      async let first = stage.get(1, after: .zero, in: world)
      let answers = await stage.get(3, after: .milliseconds(1_500), in: world)
      try world.expect(answers.allSatisfy { $0.error == .connectionLost }, "\(answers)")
      try world.expect(await first.first?.text == "0123456789", "the first request")
      try world.expect(stage.mock.requests.count == 1, "\(stage.mock.requests.count) requests")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test(arguments: [ObservedStore.Fault.noWriter, .full(after: 0), .commit, .unreadable])
  func `a store that cannot share the response changes none`(fault: ObservedStore.Fault) async throws {
    try await withSimulation { world in
      let stage = try Stage([PacedOrigin(data: Self.digits, interval: .milliseconds(100))], fault)
      async let first = stage.get(1, after: .zero, in: world)
      let answers = await stage.get(3, after: .milliseconds(350), in: world)
      try world.expect((answers + (await first)).allSatisfy { $0.text == "0123456789" }, "\(answers)")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a request does not read a response that was requested before the resource was changed`() async throws {
    try await withSimulation { world in
      let stage = try Stage([PacedOrigin(data: Self.digits), PacedOrigin(data: Data("new".utf8))])
      stage.mock.stub(.post, CacheBench.url, .status(.noContent))
      async let first = stage.get(1, after: .zero, in: world)
      try await world.sleep(for: .milliseconds(1_500))
      _ = await stage.session.request(CacheBench.url, method: .post).serializingData().response
      try world.expect(await stage.get(1, after: .zero, in: world).first?.text == "new", "an old response")
      try world.expect(await first.first?.text == "0123456789", "the first request")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a request keeps its response if the resource is changed after all of it has arrived`() async throws {
    for place in [ObservedStore.Fault.none, .commit] {
      try await withSimulation { world in
        let stage = try Stage([PacedOrigin(data: Self.digits), PacedOrigin(data: Data("new".utf8))], place)
        stage.mock.stub(.post, CacheBench.url, .status(.noContent))
        async let first = stage.get(1, after: .zero, in: world)
        try await world.sleep(for: .milliseconds(1_500))
        var text = ""
        for try await bytes in stage.session.streamRequest(CacheBench.url).serializingBytes() {
          text += String(decoding: bytes, as: UTF8.self)
          guard text.count == bytes.count else { continue }
          _ = await stage.session.request(CacheBench.url, method: .post).serializingData().response
          try await world.sleep(for: .seconds(30))
        }
        try world.expect(text == "0123456789", text)
        try world.expect(await first.first?.text == "0123456789", "the first request")
        try await stage.expectNothingLeft(world)
      }
    }
  }

  @Test func `a request whose selecting fields differ does not wait`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.get, CacheBench.url) { request in
        .cached("", "max-age=60", [.vary: "Accept"])
          .chunked(["in ", request.headers[.accept] ?? ""], every: .seconds(2))
      }
      let session = try Session.Builder().transport(mock).install(.cache(HTTPCache(memory: .megabytes(8)))).build()
      async let first = session.request(CacheBench.url, headers: [.accept: "a"]).serializingString().response
      try await world.sleep(for: .seconds(1))
      let other = await session.request(CacheBench.url, headers: [.accept: "b"]).serializingString().response
      try world.expect(other.value == "in b", "\(other)")
      try world.expect(world.clock.now.offset == .seconds(3), "\(world.clock.now.offset)")
      try world.expect(await first.value == "in a", "the first request")
    }
  }

  @Test func `a request whose shared response stops gets the rest itself`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(
        .get, CacheBench.url,
        .sequence([
          MockReply.resource(Self.digits, etag: "a").field(.cacheControl, "max-age=60").stall(afterBytes: 4),
          MockReply.resource(Self.digits, etag: "a").field(.cacheControl, "max-age=60"),
        ]))
      let session = try Session.Builder().transport(mock).install(.cache(HTTPCache(memory: .megabytes(8)))).build()
      let first = session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      try await world.sleep(for: .seconds(1))
      let answer = await Answer(session.request(CacheBench.url).serializingString().response)
      try world.expect(answer.text == "0123456789", "\(answer)")
      try world.expect(world.clock.now.offset == .seconds(6), "\(world.clock.now.offset)")
      try world.expect(mock.requests.last?.headers[.range] == "bytes=4-", "\(mock.requests)")
      first.cancel()
      _ = await task.value
    }
  }

  @Test(arguments: Place.available) func `a request reads while the response arrives, wherever it is stored`(
    place: Place
  ) async throws {
    let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) })
    try await place.withBench { bench in
      let origin = PacedOrigin(data: data, piece: 100_001, interval: .milliseconds(100))
      bench.mock.stub(.get, CacheBench.url) { origin.reply(to: $0) }
      let first = bench.session.streamRequest(CacheBench.url)
      var received = Data()
      var others: [Task<Data?, Never>] = []
      for try await bytes in first.serializingBytes() {
        received += bytes
        let session = bench.session
        others.append(
          Task { await session.request(CacheBench.url).serializingData().response.value })
        guard received.count < data.count else { continue }
        await bench.clock.waitForSleepers()
        // Less than a second in all: the store is still writing.
        bench.clock.advance(by: .milliseconds(100))
      }
      #expect(received == data)
      for other in others { #expect(await other.value == data) }
      #expect(bench.mock.requests.count == 1)
    }
  }
}
