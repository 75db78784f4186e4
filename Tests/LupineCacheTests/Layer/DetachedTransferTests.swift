import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineStreams
import LupineSupport
import LupineTransfers
import Testing

@testable import LupineCache

/// Responses whose first request is cancelled while others read them: the transfer goes on for the others.
@Suite(.timeLimit(.minutes(1))) struct DetachedTransferTests {
  /// What the first request does with its body.
  enum Use: CaseIterable, Sendable {
    case data, stream, file, paused
  }

  @Test(arguments: Use.allCases, 0..<20 as Range<UInt64>)
  func `the cancellation of the first request does not end the others`(use: Use, seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let stage = try SharingStage(PacedOrigin.changing)
      let count = 1 + Int(seed % 3)
      async let early = stage.get(count, after: .milliseconds(100), in: world)
      async let late = stage.get(1, after: .milliseconds(2_500), in: world)
      // Follows the transfer that has no request any more.
      async let last = stage.get(1, after: .milliseconds(8_500), in: world)
      try await Self.cancel(use, of: stage, after: .milliseconds(3_500 + 100 * Int64(seed)), in: world)
      let answers = await early + late + last
      try world.expect(answers.allSatisfy { $0.text == "0123456789" }, "\(answers)")
      // A paused server continues where it was.
      if use != .paused { try world.expect(world.clock.now.offset == .seconds(9), "\(world.clock.now.offset)") }
      try world.expect(stage.mock.requests.count == 1, "\(stage.mock.requests.count) requests")
      let stored = await stage.get(1, after: .zero, in: world)
      try world.expect(stored.first?.text == "0123456789", "\(stored)")
      try world.expect(stage.mock.requests.count == 1, "the response was not stored")
      try await stage.expectNothingLeft(world)
    }
  }

  /// Starts a request, and cancels it after a time; its response then ends as cancelled at once.
  private static func cancel(
    _ use: Use, of stage: SharingStage, after delay: Duration, in world: Simulation
  ) async throws {
    let (session, executor) = (stage.session, world.executor)
    let error: Task<LupineError?, Never>
    let cancel: @Sendable () -> Void
    switch use {
    case .data:
      let request = session.request(CacheBench.url)
      cancel = { request.cancel() }
      error = Task(executorPreference: executor) { await request.serializingString().response.error }
    case .stream:
      let request = session.streamRequest(CacheBench.url)
      cancel = { request.cancel() }
      error = Task(executorPreference: executor) { await Self.error(of: request) }
    case .file:
      let request = session.download(CacheBench.url, to: .temporary)
      cancel = { request.cancel() }
      error = Task(executorPreference: executor) { await request.serializingFile().response.error }
    case .paused:
      let request = session.streamRequest(CacheBench.url)
      cancel = { request.cancel() }
      error = Task(executorPreference: executor) { await Self.error(of: request) }
      try await world.sleep(for: .seconds(2))
      request.suspend()
      try await world.sleep(for: delay - .seconds(2))
      cancel()
      return try world.expect(await error.value?.kind == .cancelled, "the first request was not cancelled")
    }
    try await world.sleep(for: delay)
    cancel()
    try world.expect(await error.value?.kind == .cancelled, "the first request was not cancelled")
    try world.expect(world.clock.now.offset == delay, "it ended at \(world.clock.now.offset)")
  }

  /// Reads a stream to its end; returns the error.
  private static func error(of request: DataStreamRequest) async -> LupineError? {
    do {
      for try await _ in request.serializingBytes() {}
      return nil
    } catch {
      return error
    }
  }

  @Test func `a timeout of the first request does not end the others`() async throws {
    try await withSimulation { world in
      let stage = try SharingStage(PacedOrigin.changing)
      async let others = stage.get(2, after: .milliseconds(100), in: world)
      let first = await stage.session.request(CacheBench.url).timeouts { $0.total = .milliseconds(3_500) }
        .serializingString().response
      try world.expect(first.error?.kind == .timedOut(.total), "\(first)")
      let answers = await others
      try world.expect(answers.allSatisfy { $0.text == "0123456789" }, "\(answers)")
      try world.expect(stage.mock.requests.count == 1, "\(stage.mock.requests.count) requests")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a store that is slow after the cancellation makes the server wait`() async throws {
    try await withSimulation { world in
      // More than may wait for the store while the transfer has its request.
      let data = Data((0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) })
      let mayContinue = Signal()
      let mock = MockTransport()
      let rest = stride(from: 10, to: data.count, by: 64 << 10)
      let pieces = [data.prefix(10)] + rest.map { Data(data[$0..<min($0 + 64 << 10, data.count)]) }
      mock.stub(.get, CacheBench.url, .cached("", "max-age=60").chunked(pieces, every: .milliseconds(1)))
      let store = ObservedStore { .slow(after: 10, until: mayContinue) }
      let cache = try HTTPCache(store: store, hashKey: CacheBench.key)
      let session = try Session.Builder().transport(mock).install(.cache(cache)).build()
      let first = session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingData().response }
      let reader = Task(executorPreference: world.executor) {
        await session.request(CacheBench.url).serializingData().response
      }
      try await world.sleep(for: .microseconds(500))
      first.cancel()
      try world.expect(await task.value.error?.kind == .cancelled, "the first request was not cancelled")
      try await world.sleep(for: .milliseconds(900))
      mayContinue.set()
      try world.expect(await reader.value.value == data, "the reader")
      try world.expect(mock.requests.count == 1, "\(mock.requests.count) requests")
      await session.finishBackgroundTasks()
      try world.expect(cache.storage.isIdle && store.openWriters == 0, "something is left")
      await session.shutdown()
    }
  }

  @Test func `a transfer that replaces a stale response goes on`() async throws {
    try await withSimulation { world in
      let stale = PacedOrigin(data: Data("abcdefghij".utf8), control: "max-age=1")
      let stage = try SharingStage([stale] + PacedOrigin.changing)
      _ = await stage.get(1, after: .zero, in: world)
      try await world.sleep(for: .seconds(30))
      async let others = stage.get(2, after: .milliseconds(100), in: world)
      try await stage.cancel(after: .milliseconds(3_500), in: world)
      let answers = await others
      try world.expect(answers.allSatisfy { $0.text == "0123456789" }, "\(answers)")
      try world.expect(stage.mock.requests.count == 2, "\(stage.mock.requests.count) requests")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `monitors receive no events of a transfer without its request`() async throws {
    try await withSimulation { world in
      let events = Box<[String]>([])
      let stage = try SharingStage(PacedOrigin.changing) { builder in
        builder.monitor(.custom { event in events.change { $0.append("\(event.request) \(event.kind)") } })
      }
      async let others = stage.get(1, after: .milliseconds(100), in: world)
      let first = stage.session.request(CacheBench.url)
      let id = "\(first.id)"
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      try await world.sleep(for: .milliseconds(3_500))
      first.cancel()
      _ = await task.value
      let before = events.value.filter { $0.hasPrefix(id + " ") }.count
      _ = await others
      await stage.session.finishBackgroundTasks()
      let own = events.value.filter { $0.hasPrefix(id + " ") }
      try world.expect(before > 0 && own.count == before, "\(own.suffix(own.count - before))")
      try await stage.expectNothingLeft(world)
    }
  }
}
