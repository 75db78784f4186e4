import LupineCore
import LupineFoundation
import LupineImage
import LupineMock
import LupineSession
import Synchronization
import Testing

/// Where pictures are decoded, on real threads.
@Suite struct DecodingThreadTests {
  private struct Usage {
    var running = 0
    var most = 0
    var names: Set<String> = []
  }

  @Test(.timeLimit(.minutes(1)), arguments: [1, 3])
  func `pictures are decoded on threads of the downloader, no more than the limit at once`(limit: Int) async throws {
    let mock = MockTransport()
    let file = try Pictures.gradient(4, 4).encoded(as: .png)
    for index in 0..<20 { mock.stub(.get, "/\(index)", .data(file, contentType: "image/png")) }
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").build()
    var configuration = ImageDownloader.Configuration()
    configuration.maximumDownloads = 20
    configuration.maximumDecodings = limit
    let downloader = ImageDownloader(session: session, configuration: configuration)
    let usage = Mutex(Usage())
    let watched = ImageFilter(name: "watched") { image throws(LupineError) in
      let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      usage.withLock {
        $0.running += 1
        $0.most = max($0.most, $0.running)
        $0.names.insert(name ?? "none")
      }
      for _ in 0..<50 { _ = try image.applying([.scaled(width: 40, height: 40)]) }
      usage.withLock { $0.running -= 1 }
      return image
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<20 { group.addTask { _ = try await downloader.image(at: "\(index)", filters: [watched]) } }
      try await group.waitForAll()
    }
    let (most, names) = usage.withLock { ($0.most, $0.names) }
    #expect(most <= limit)
    #expect(names == ["lupine-image\n"])
    await session.shutdown()
  }
}
