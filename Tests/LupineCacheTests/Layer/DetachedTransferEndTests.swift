import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineSupport
import LupineTransfers
import Testing

@testable import LupineCache

/// How a transfer ends after its first request was cancelled while others read the response.
@Suite(.timeLimit(.minutes(1))) struct DetachedTransferEndTests {
  private static let digits = Data("0123456789".utf8)

  @Test func `the transfer ends with its last reader`() async throws {
    try await withSimulation { world in
      let stage = try SharingStage(PacedOrigin.changing)
      let readers = [4_500, 5_500].map { time in
        Task(executorPreference: world.executor) {
          try await world.sleep(for: .milliseconds(100))
          try await stage.cancel(after: .milliseconds(time), in: world)
        }
      }
      try await stage.cancel(after: .milliseconds(3_500), in: world)
      for reader in readers { try await reader.value }
      await stage.session.finishBackgroundTasks()
      try world.expect(world.clock.now.offset == .milliseconds(5_600), "\(world.clock.now.offset)")
      let next = await stage.get(1, after: .zero, in: world)
      try world.expect(next.first?.text == "abcdefghij", "\(next)")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a request without readers ends its transfer`() async throws {
    try await withSimulation { world in
      let stage = try SharingStage(PacedOrigin.changing)
      try await stage.cancel(after: .milliseconds(3_500), in: world)
      await stage.session.finishBackgroundTasks()
      try world.expect(world.clock.now.offset == .milliseconds(3_500), "\(world.clock.now.offset)")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `the shutdown of the session ends the transfer and its readers`() async throws {
    try await withSimulation { world in
      let stage = try SharingStage(PacedOrigin.changing)
      async let others = stage.get(2, after: .milliseconds(100), in: world)
      try await stage.cancel(after: .milliseconds(3_500), in: world)
      try await world.sleep(for: .seconds(1))
      await stage.session.shutdown()
      let answers = await others
      try world.expect(answers.allSatisfy { $0.error == .sessionShutDown }, "\(answers)")
      try world.expect(world.clock.now.offset == .milliseconds(4_500), "\(world.clock.now.offset)")
      // The tasks that read for the others end after their requests.
      try await world.sleep(for: .milliseconds(1))
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a transfer that fails after the cancellation is continued under a strong validator`() async throws {
    try await withSimulation { world in
      let stage = try SharingStage([PacedOrigin(data: Self.digits, resetAfter: 6), PacedOrigin(data: Self.digits)])
      async let others = stage.get(2, after: .milliseconds(100), in: world)
      try await stage.cancel(after: .milliseconds(3_500), in: world)
      let answers = await others
      try world.expect(answers.allSatisfy { $0.text == "0123456789" }, "\(answers)")
      let ranges = stage.mock.requests.map { $0.headers[.range] }
      try world.expect(ranges == [nil, "bytes=6-"], "\(ranges)")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test func `a server that stalls after the cancellation ends the transfer by the idle timeout`() async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(
        .get, CacheBench.url,
        .sequence([
          .cached("0123456789", "max-age=60").stall(afterBytes: 4), .cached("abcdefghij", "max-age=60"),
        ]))
      let session = try Session.Builder().transport(mock).install(.cache(HTTPCache(memory: .megabytes(8))))
        .timeouts(idle: .seconds(20)).build()
      let first = session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      try await world.sleep(for: .seconds(1))
      async let other = session.request(CacheBench.url).serializingString().response
      try await world.sleep(for: .seconds(1))
      first.cancel()
      try world.expect(await task.value.error?.kind == .cancelled, "the first request was not cancelled")
      try world.expect(await other.error?.kind == .timedOut(.idle), "the other request")
      await session.finishBackgroundTasks()
      try world.expect(world.clock.now.offset <= .seconds(22), "\(world.clock.now.offset)")
      await session.shutdown()
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a request after a cancellation joins the transfer only if others still read it`(
    seed: UInt64
  ) async throws {
    try await withSimulation(seed: seed) { world in
      let others = Int(seed % 2)
      let stage = try SharingStage(PacedOrigin.changing)
      async let readers = stage.get(others, after: .milliseconds(100), in: world)
      let first = stage.session.request(CacheBench.url)
      let task = Task(executorPreference: world.executor) { await first.serializingString().response }
      try await world.sleep(for: .milliseconds(3_500))
      first.cancel()
      let answer = await Answer(stage.session.request(CacheBench.url).serializingString().response)
      try world.expect(answer.text == (others == 0 ? "abcdefghij" : "0123456789"), "\(answer)")
      try world.expect(await task.value.error?.kind == .cancelled, "the first request was not cancelled")
      try world.expect(await readers.allSatisfy { $0.text == "0123456789" }, "the readers")
      try world.expect(stage.mock.requests.count == 2 - others, "\(stage.mock.requests.count) requests")
      try await stage.expectNothingLeft(world)
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a request that is sent when the last reader leaves is not answered by the ended transfer`(
    seed: UInt64
  ) async throws {
    try await withSimulation(seed: seed) { world in
      let stage = try SharingStage(PacedOrigin.changing)
      let reader = Task(executorPreference: world.executor) {
        try await world.sleep(for: .milliseconds(100))
        let last = stage.session.request(CacheBench.url)
        let end = Task(executorPreference: world.executor) { await last.serializingString().response }
        try await world.sleep(for: .milliseconds(5_400))
        last.cancel()
        for _ in 0..<seed % 8 { await Task.yield() }
        let next = await Answer(stage.session.request(CacheBench.url).serializingString().response)
        try world.expect(await end.value.error?.kind == .cancelled, "the last reader was not cancelled")
        return next
      }
      try await stage.cancel(after: .milliseconds(3_500), in: world)
      let answer = try await reader.value
      // Either the request came before the reader left, or it is the first of a new transfer.
      let text = stage.mock.requests.count == 1 ? "0123456789" : "abcdefghij"
      try world.expect(answer.text == text, "\(answer)")
      try await stage.expectNothingLeft(world)
    }
  }
}
