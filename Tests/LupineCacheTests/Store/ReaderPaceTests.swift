import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineStreams
import Testing

/// Requests that read one growing response from a store, each at its own pace.
@Suite(.timeLimit(.minutes(1))) struct ReaderPaceTests {
  /// A response of three pieces, each of which the server sends when the test does.
  private struct Server {
    let content = (0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) }
    private let pieces: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation

    init() { (pieces, continuation) = AsyncStream.makeStream() }

    var reply: MockReply { .body(.oneShot(pieces)).field(.cacheControl, "max-age=60").field(.eTag, "\"a\"") }

    func send(_ piece: Int) { continuation.yield(Array(content[piece * 10_000..<(piece + 1) * 10_000])) }

    func end() { continuation.finish() }
  }

  /// A request that takes as many bytes as the test wants.
  private struct Reader {
    var bytes: [UInt8] = []
    private var iterator: ByteStream.AsyncIterator

    init(_ session: Session) {
      iterator = session.streamRequest(CacheBench.url).serializingBytes().makeAsyncIterator()
    }

    mutating func read(upTo count: Int) async throws {
      while bytes.count < count, let piece = try await iterator.next() { bytes += piece }
    }
  }

  @Test(arguments: Place.available)
  func `one transfer serves three readers, each at its own pace`(place: Place) async throws {
    let server = Server()
    try await place.withBench { bench in
      bench.mock.stub(.get, CacheBench.url, server.reply)
      var (fast, middle, slow) = (Reader(bench.session), Reader(bench.session), Reader(bench.session))
      server.send(0)
      // The rest of the response is sent only after all readers have its beginning.
      try await fast.read(upTo: 10_000)
      try await middle.read(upTo: 10_000)
      try await slow.read(upTo: 10_000)
      server.send(1)
      try await fast.read(upTo: 20_000)
      server.send(2)
      server.end()
      try await fast.read(upTo: 30_001)
      try await middle.read(upTo: 30_001)
      try await slow.read(upTo: 30_001)
      for reader in [fast, middle, slow] { #expect(reader.bytes == server.content) }
      #expect(bench.mock.requests.count == 1)
      await bench.session.finishBackgroundTasks()
      #expect(try await bench.cache.entries.count == 1)
    }
  }
}
