import LupineCore
import LupineFoundation
import LupineImage
import LupineMock
import LupineSession
import LupineSupport
import Synchronization
import Testing

/// Where pictures are decoded, on real threads.
@Suite struct DecodingThreadTests {
  private struct Usage {
    var started = 0
    var running = 0
    var most = 0
    var names: Set<String> = []
  }

  /// The decodings of a test, of which the first ones wait for each other.
  private final class Decodings: Sendable {
    private let limit: Int
    private let usage = Mutex(Usage())
    private let isFull = Semaphore()

    init(limit: Int) { self.limit = limit }

    var most: Int { usage.withLock { $0.most } }
    var names: Set<String> { usage.withLock { $0.names } }

    /// Returns when as many decodings run at once as the limit allows; it never does if fewer do.
    func begin() {
      let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      let started = usage.withLock { usage in
        usage.names.insert(name ?? "none")
        usage.started += 1
        usage.running += 1
        usage.most = max(usage.most, usage.running)
        return usage.started
      }
      if started < limit { isFull.wait() }
      if started == limit { for _ in 1..<limit { isFull.signal() } }
    }

    func end() { usage.withLock { $0.running -= 1 } }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [1, 3])
  func `pictures are decoded on threads of the downloader, as many at once as the limit allows and no more`(limit: Int)
    async throws
  {
    let mock = MockTransport()
    let file = try Pictures.gradient(4, 4).encoded(as: .png)
    for index in 0..<20 { mock.stub(.get, "/\(index)", .data(file, contentType: "image/png")) }
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").build()
    var configuration = ImageDownloader.Configuration()
    configuration.maximumDownloads = 20
    configuration.maximumDecodings = limit
    let downloader = ImageDownloader(session: session, configuration: configuration)
    let decodings = Decodings(limit: limit)
    let watched = ImageFilter(name: "watched") { image throws(LupineError) in
      decodings.begin()
      defer { decodings.end() }
      for _ in 0..<50 { _ = try image.applying([.scaled(width: 40, height: 40)]) }
      return image
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<20 { group.addTask { _ = try await downloader.image(at: "\(index)", filters: [watched]) } }
      try await group.waitForAll()
    }
    #expect(decodings.most == limit)
    #expect(decodings.names == ["lupine-image\n"])
    await session.shutdown()
  }
}
