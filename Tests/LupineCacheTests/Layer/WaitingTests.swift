import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineStreams
import LupineSupport
import Testing

@testable import LupineCache

/// Requests that wait until the response to another request, the leader, is stored.
@Suite(.timeLimit(.minutes(1))) struct WaitingTests {
  private typealias Stage = WaitingStage
  private static let digits = Data("0123456789".utf8)
  /// A content that takes an hour.
  private static let endless = PacedOrigin(data: Data(count: 3_600))
  private static let other = PacedOrigin(data: Data("other".utf8), control: "no-store", interval: .zero)

  /// A server that needs a second for all of its content.
  private static func quick(_ tag: String? = "\"a\"", resetAfter: Int? = nil) -> PacedOrigin {
    PacedOrigin(data: digits, tag: tag, interval: .milliseconds(100), resetAfter: resetAfter)
  }

  @Test func `100 requests that wait for an endless body are sent after the limit, and later ones do not wait`()
    async throws
  {
    try await withSimulation { world in
      let stage = try Stage([Self.endless, Self.other])
      let first = stage.session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      let answers = await stage.get(100, after: .milliseconds(1_500), in: world)
      try world.expect(answers.count == 100 && answers.allSatisfy { $0.text == "other" }, "\(answers)")
      try world.expect(world.clock.now.offset == .milliseconds(6_500), "\(world.clock.now.offset)")
      try world.expect(stage.mock.requests.count == 101, "\(stage.mock.requests.count) requests")
      let later = await stage.get(5, after: .zero, in: world)
      try world.expect(later.allSatisfy { $0.text == "other" }, "\(later)")
      try world.expect(world.clock.now.offset == .milliseconds(6_500), "\(world.clock.now.offset)")
      first.cancel()
      _ = await task.value
      try await stage.expectNothingLeft(world)
    }
  }

  /// Responses that the store does not take, and when this is known: at the head with a stated length, and otherwise
  /// once too much has arrived.
  @Test(arguments: [
    (MockReply.data(Data(count: 20_000)).stall(afterBytes: 4), Duration.seconds(1)),
    (.cached("", "").chunked(Array(repeating: Data(count: 4_000), count: 100), every: .seconds(1)), .seconds(3)),
  ])
  func `requests leave a leader whose response is longer than the cache permits, and later ones do not wait`(
    reply: MockReply, leave: Duration
  ) async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(
        .get, CacheBench.url,
        .sequence([reply.field(.cacheControl, "max-age=60").delay(.seconds(1)), .cached("other", "no-store")]))
      let cache = HTTPCache(memory: .kilobytes(80))
      let session = try Session.Builder().transport(mock).install(.cache(cache)).build()
      let first = session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingData().response }
      try await world.sleep(for: .milliseconds(1))
      for _ in 0..<2 {
        let answers = await withTaskGroup(of: String?.self) { group in
          for _ in 0..<10 {
            group.addTask { await session.request(CacheBench.url).serializingString().response.value }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        try world.expect(answers.allSatisfy { $0 == "other" }, "\(answers)")
        try world.expect(world.clock.now.offset == leave, "\(world.clock.now.offset)")
      }
      first.cancel()
      _ = await task.value
      await session.finishBackgroundTasks()
      try world.expect(cache.storage.isIdle, "a request is under way")
      await session.shutdown()
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>, ["\"a\"", "W/\"a\"", nil])
  func `after a failure one of the others takes the place of the leader`(seed: UInt64, tag: String?) async throws {
    try await withSimulation(seed: seed) { world in
      let stage = try Stage([Self.quick(tag, resetAfter: 4), Self.quick(tag)])
      async let early = stage.get(5, after: .milliseconds(100), in: world)
      async let late = stage.get(5, after: .milliseconds(280 + Int64(seed)), in: world)
      let first = await stage.get(1, after: .zero, in: world)
      try world.expect(first.first?.error == .connectionLost, "\(first)")
      let answers = await early + late
      try world.expect(answers.allSatisfy { $0.text == "0123456789" }, "\(answers)")
      let requests = stage.mock.requests
      try world.expect(requests.count == 2, "\(requests.count) requests")
      // The beginning is stored if the rest can be joined to it.
      try world.expect(requests.last?.headers[.range] == (tag == "\"a\"" ? "bytes=4-" : nil), "\(requests)")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `after a timeout of the leader another request takes its place`() async throws {
    try await withSimulation { world in
      let stage = try Stage([Self.quick(nil)])
      async let others = stage.get(5, after: .milliseconds(100), in: world)
      let first = await stage.session.request(CacheBench.url).timeouts { $0.total = .milliseconds(450) }
        .serializingString().response
      try world.expect(first.error?.kind == .timedOut(.total), "\(first)")
      let answers = await others
      try world.expect(answers.allSatisfy { $0.text == "0123456789" }, "\(answers)")
      try world.expect(stage.mock.requests.count == 2, "\(stage.mock.requests.count) requests")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `after the shutdown of the leader's session a request of another session takes its place`() async throws {
    try await withSimulation { world in
      let stage = try Stage([Self.quick(nil)])
      let other = try Session.Builder().transport(stage.mock).install(.cache(stage.cache)).build()
      async let first = stage.get(1, after: .zero, in: world)
      try await world.sleep(for: .milliseconds(450))
      async let answer = other.request(CacheBench.url).serializingString().response
      try await world.sleep(for: .milliseconds(1))
      await stage.session.shutdown()
      try world.expect(await first.first?.error == .sessionShutDown, "the first request")
      try world.expect(await answer.value == "0123456789", "the other request")
      try world.expect(stage.mock.requests.count == 2, "\(stage.mock.requests.count) requests")
      await other.shutdown()
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a cancellation, a timeout and a shutdown end the wait at once`() async throws {
    try await withSimulation { world in
      let stage = try Stage([Self.endless])
      async let first = stage.get(1, after: .zero, in: world)
      try await world.sleep(for: .milliseconds(1_500))
      async let last = stage.get(2, after: .zero, in: world)
      try await stage.cancel(after: .milliseconds(500), in: world)
      try world.expect(world.clock.now.offset == .seconds(2), "\(world.clock.now.offset)")
      let late = await stage.session.request(CacheBench.url).timeouts { $0.total = .seconds(1) }
        .serializingString().response
      try world.expect(late.error?.kind == .timedOut(.total), "\(late)")
      try world.expect(world.clock.now.offset == .seconds(3), "\(world.clock.now.offset)")
      try world.expect(stage.mock.requests.count == 1, "\(stage.mock.requests.count) requests")
      await stage.session.shutdown()
      try world.expect(await (first + last).allSatisfy { $0.error == .sessionShutDown }, "no shutdown")
      try world.expect(world.clock.now.offset == .seconds(3), "\(world.clock.now.offset)")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test(arguments: [ObservedStore.Fault.noWriter, .full(after: 0), .full(after: 4), .commit])
  func `a store that does not keep the response changes none`(fault: ObservedStore.Fault) async throws {
    try await withSimulation { world in
      let stage = try Stage([Self.quick()], fault)
      async let first = stage.get(1, after: .zero, in: world)
      let answers = await stage.get(3, after: .milliseconds(350), in: world)
      try world.expect((answers + (await first)).allSatisfy { $0.text == "0123456789" }, "\(answers)")
      try world.expect(stage.mock.requests.count == 4, "\(stage.mock.requests.count) requests")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a request does not wait for a response that was requested before the resource was changed`() async throws
  {
    try await withSimulation { world in
      let stage = try Stage([PacedOrigin(data: Self.digits), Self.other])
      stage.mock.stub(.post, CacheBench.url, .status(.noContent))
      async let first = stage.get(1, after: .zero, in: world)
      try await world.sleep(for: .milliseconds(1_500))
      _ = await stage.session.request(CacheBench.url, method: .post).serializingData().response
      try world.expect(await stage.get(1, after: .zero, in: world).first?.text == "other", "an old response")
      try world.expect(world.clock.now.offset == .milliseconds(1_500), "\(world.clock.now.offset)")
      try world.expect(await first.first?.text == "0123456789", "the first request")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `if the resource is changed while requests wait, one of them brings the new response for all`()
    async throws
  {
    try await withSimulation { world in
      let stage = try Stage([PacedOrigin(data: Self.digits), Self.quick()])
      stage.mock.stub(.post, CacheBench.url, .status(.noContent))
      async let first = stage.get(1, after: .zero, in: world)
      async let others = stage.get(20, after: .milliseconds(500), in: world)
      try await world.sleep(for: .milliseconds(1_500))
      _ = await stage.session.request(CacheBench.url, method: .post).serializingData().response
      try world.expect(await others.allSatisfy { $0.text == "0123456789" }, "an answer is missing")
      try world.expect(await first.first?.text == "0123456789", "the first request")
      let gets = stage.mock.requests.count { $0.method == .get }
      try world.expect(gets == 2, "\(gets) requests")
      try await stage.expectNothingLeft(world)
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

  @Test(arguments: Place.available) func `a request waits until the response is stored, wherever that is`(
    place: Place
  ) async throws {
    let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) })
    let (pieces, server) = AsyncStream.makeStream(of: [UInt8].self)
    let waits = Signal()
    let reasons = Reasons { if $0 == "waits for the response to another request" { waits.set() } }
    try await place.withBench(.init()) {
      $0.monitor(reasons)
    } _: { bench in
      bench.stub(.body(.oneShot(pieces)).field(.cacheControl, "max-age=60"))
      var first = bench.session.streamRequest(CacheBench.url).serializingBytes().makeAsyncIterator()
      server.yield(Array(data.prefix(100_000)))
      var received = Data()
      while received.count < 100_000, let bytes = try await first.next() { received += bytes }
      let session = bench.session
      let others = (0..<3).map { _ in
        Task { await session.request(CacheBench.url).serializingData().response }
      }
      await waits.wait()
      server.yield(Array(data.dropFirst(100_000)))
      server.finish()
      while let bytes = try await first.next() { received += bytes }
      #expect(received == data)
      for other in others { #expect(await other.value.value == data) }
      #expect(bench.mock.requests.count == 1)
    }
  }
}
