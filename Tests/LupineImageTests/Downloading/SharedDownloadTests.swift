import LupineCore
import LupineFoundation
import LupineImage
import LupineMock
import LupineSession
import Testing

/// Equal requests with different filters, of which some are cancelled, in virtual time.
@Suite struct SharedDownloadTests {
  /// A downloader of one JPEG, which takes a second to arrive.
  private struct Place {
    let mock = MockTransport()
    let session: Session
    let downloader: ImageDownloader
    let original: Image

    init(_ clock: any Clock<Duration>) throws {
      original = try Pictures.gradient(400, 300)
      let file = try original.encoded(as: .jpeg(quality: 95))
      mock.stub(.get, "/a", .data(file, contentType: "image/jpeg").field(.eTag, "\"1\"").delay(.seconds(1)))
      session = try Session.Builder().transport(mock).baseURL("https://example.com").clock(clock).build()
      var configuration = ImageDownloader.Configuration()
      configuration.clock = clock
      downloader = ImageDownloader(session: session, configuration: configuration)
    }
  }

  /// A JPEG is decoded at a half, a quarter or an eighth of its size if that is enough for all who wait.
  @Test(arguments: [
    [[ImageFilter.aspectFit(width: 40, height: 40)], [.scaled(width: 20, height: 30), .circle]],
    [[.aspectFit(width: 40, height: 40)], [.aspectFill(width: 200, height: 100)]],
    [[.aspectFit(width: 40, height: 40)], [.circle]],
    [[.aspectFit(width: 40, height: 40)], []],
  ])
  func `waiters with different filters share the decoding of a JPEG`(filterLists: [[ImageFilter]]) async throws {
    try await withSimulation(seed: 1) { world in
      let place = try Place(world.clock)
      let results = try await withThrowingTaskGroup(of: (Int, Image).self) { group in
        for (index, filters) in filterLists.enumerated() {
          group.addTask { (index, try await place.downloader.image(at: "a", filters: filters)) }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      for (index, filters) in filterLists.enumerated() {
        let image = try #require(results[index])
        let expected = try place.original.applying(filters)
        #expect(image.size == expected.size)
        #expect(Pictures.difference(image, expected) <= 16)
      }
      #expect(place.mock.requests.count == 1)
      #expect(place.downloader.statistics.downloads == 1)
      #expect(place.downloader.statistics.decodings == 1)
      await place.session.shutdown()
    }
  }

  @Test func `the others receive the picture when one waiter is cancelled`() async throws {
    try await withSimulation(seed: 2) { world in
      let place = try Place(world.clock)
      let waiters = (0..<3).map { index in
        Task(executorPreference: world.executor) {
          try await place.downloader.image(at: "a", filters: [.scaled(width: 10 + index, height: 5)]).width
        }
      }
      try await world.clock.sleep(for: .milliseconds(500))
      waiters[0].cancel()
      let error = await #expect(throws: LupineError.self) { try await waiters[0].value }
      #expect(error?.kind == .cancelled)
      #expect(world.clock.now.offset == .milliseconds(500))
      #expect(try await waiters[1].value == 11)
      #expect(try await waiters[2].value == 12)
      #expect(world.clock.now.offset == .seconds(1))
      #expect(place.mock.requests.count == 1)
      #expect(place.downloader.statistics.decodings == 1)
      await place.session.shutdown()
    }
  }
}
