import HTTPTypes
import LupineCore
import LupineFoundation
import LupineImage
import LupineMock
import LupineSession
import Synchronization
import Testing

/// The properties of a downloader, in virtual time.
@Suite struct ImageDownloaderTests {
  /// A mock with pictures at `/0`, `/1` and so on, each of which takes a second.
  private struct Place {
    let mock = MockTransport()
    let clock: any Clock<Duration>
    let session: Session

    init(_ clock: any Clock<Duration>, pictures: Int = 12) throws {
      self.clock = clock
      for index in 0..<pictures {
        let file = try Pictures.gradient(8 + index, 8).encoded(as: .png)
        mock.stub(
          .get, "/\(index)", .data(file, contentType: "image/png").field(.eTag, "\"\(index)\"").delay(.seconds(1)))
      }
      session = try Session.Builder().transport(mock).baseURL("https://example.com").clock(clock).build()
    }

    func downloader(
      cache: ImageCache? = ImageCache(), _ change: (inout ImageDownloader.Configuration) -> Void = { _ in }
    ) -> ImageDownloader {
      var configuration = ImageDownloader.Configuration()
      configuration.clock = clock
      change(&configuration)
      return ImageDownloader(session: session, cache: cache, configuration: configuration)
    }

    var paths: [String] { mock.requests.map { $0.url.path } }
  }

  @Test func `equal requests share one download and one decoding, and each waiter has its own filters`() async throws {
    try await withSimulation(seed: 1) { world in
      let place = try Place(world.clock)
      let downloader = place.downloader()
      let sizes = try await withThrowingTaskGroup(of: ImageSize.self) { group in
        for index in 0..<100 {
          group.addTask {
            try await downloader.image(at: "0", filters: [.scaled(width: 1 + index % 4, height: 5)]).size
          }
        }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(sizes == Dictionary(uniqueKeysWithValues: (1...4).map { (ImageSize(width: $0, height: 5), 25) }))
      #expect(place.paths == ["/0"])
      #expect(downloader.statistics.downloads == 1)
      #expect(downloader.statistics.decodings == 1)
      await place.session.shutdown()
    }
  }

  @Test(arguments: [1, 2, 3, 12])
  func `no more downloads run at once than the limit allows`(limit: Int) async throws {
    try await withSimulation(seed: 2) { world in
      let place = try Place(world.clock)
      let downloader = place.downloader { $0.maximumDownloads = limit }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<12 { group.addTask { _ = try await downloader.image(at: "\(index)") } }
        try await group.waitForAll()
      }
      #expect(world.clock.now.offset == .seconds(12 / limit))
      await place.session.shutdown()
    }
  }

  @Test func `waiting requests go by priority, and then by the order`() async throws {
    for order in [ImageDownloader.Order.firstInFirstOut, .lastInFirstOut] {
      let paths = try await withSimulation(seed: 3) { world in
        let place = try Place(world.clock)
        let downloader = place.downloader {
          $0.maximumDownloads = 1
          $0.order = order
        }
        let priorities: [OutgoingRequest.Priority] = [.normal, .normal, .low, .high, .normal, .high, .low]
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, priority) in priorities.enumerated() {
            group.addTask {
              try await world.clock.sleep(for: .milliseconds(index))
              _ = try await downloader.image(at: "\(index)", priority: priority)
            }
          }
          try await group.waitForAll()
        }
        await place.session.shutdown()
        return place.paths
      }
      #expect(
        paths
          == (order == .firstInFirstOut
            ? ["/0", "/3", "/5", "/1", "/4", "/2", "/6"] : ["/0", "/5", "/3", "/4", "/1", "/6", "/2"]))
    }
  }

  @Test func `a cancelled waiter leaves the others, and the last one ends the download`() async throws {
    try await withSimulation(seed: 4) { world in
      let place = try Place(world.clock)
      let downloader = place.downloader { $0.maximumDownloads = 1 }
      let waiters = (0..<3).map { _ in
        Task(executorPreference: world.executor) { try await downloader.image(at: "0").width }
      }
      let next = Task(executorPreference: world.executor) {
        try await world.clock.sleep(for: .milliseconds(1))
        return try await downloader.image(at: "1").width
      }
      try await world.clock.sleep(for: .milliseconds(200))
      waiters[0].cancel()
      await #expect(throws: LupineError.self) { try await waiters[0].value }
      try await world.clock.sleep(for: .milliseconds(100))
      #expect(place.paths == ["/0"])
      for waiter in waiters { waiter.cancel() }
      for waiter in waiters {
        let error = await #expect(throws: LupineError.self) { try await waiter.value }
        #expect(error?.kind == .cancelled)
      }
      // The next download begins when the first one ends, and not after its second.
      #expect(try await next.value == 9)
      #expect(world.clock.now.offset == .milliseconds(1_300))
      // A new waiter does not join the cancelled download.
      #expect(try await downloader.image(at: "0").width == 8)
      #expect(place.paths == ["/0", "/1", "/0"])
      await place.session.shutdown()
    }
  }

  @Test func `a waiter that was cancelled while it waited for its turn makes no request`() async throws {
    try await withSimulation(seed: 5) { world in
      let place = try Place(world.clock)
      let downloader = place.downloader { $0.maximumDownloads = 1 }
      let first = Task(executorPreference: world.executor) { try await downloader.image(at: "0").width }
      try await world.clock.sleep(for: .milliseconds(1))
      let second = Task(executorPreference: world.executor) { try await downloader.image(at: "1").width }
      try await world.clock.sleep(for: .milliseconds(1))
      second.cancel()
      #expect(try await first.value == 8)
      #expect(place.paths == ["/0"])
      await place.session.shutdown()
    }
  }

  @Test func `a picture is used again without a request for a while, and then without a decoding`() async throws {
    try await withSimulation(seed: 6) { world in
      let place = try Place(world.clock)
      let downloader = place.downloader { $0.reuseInterval = .seconds(30) }
      let filters = [ImageFilter.circle]
      let image = try await downloader.image(at: "0", filters: filters)
      #expect(try await downloader.image(at: "0", filters: filters) == image)
      #expect(place.paths == ["/0"])
      // Other filters need the file.
      #expect(try await downloader.image(at: "0").width == 8)
      #expect(downloader.statistics.decodings == 2)
      try await world.clock.sleep(for: .seconds(31))
      #expect(try await downloader.image(at: "0", filters: filters) == image)
      #expect(place.paths == ["/0", "/0", "/0"])
      #expect(downloader.statistics.decodings == 2)
      #expect(downloader.statistics.cached == 1)
      await place.session.shutdown()
    }
  }

  @Test func `a new validator leads to a new decoding`() async throws {
    try await withSimulation(seed: 7) { world in
      let place = try Place(world.clock, pictures: 0)
      let file = MockReply.data(try Pictures.gradient(4, 4).encoded(as: .png), contentType: "image/png")
      place.mock.stub(.get, "/new", .sequence([file.field(.eTag, "\"1\""), file.field(.eTag, "\"2\"")]))
      let downloader = place.downloader { $0.reuseInterval = .seconds(1) }
      _ = try await downloader.image(at: "new")
      try await world.clock.sleep(for: .seconds(2))
      _ = try await downloader.image(at: "new")
      #expect(downloader.statistics.decodings == 2)
      await place.session.shutdown()
    }
  }

  @Test(arguments: [
    (nil, nil, 2), ("\"1\"", "private, No-Store", 2), ("\"1\"", "no-cache", 1), ("\"1\"", "public, max-age=0", 1),
  ])
  func `a file without a validator, or with no-store, no-cache or max-age=0, is requested each time`(
    validator: String?, directives: String?, decodings: Int
  ) async throws {
    try await withSimulation(seed: 7) { world in
      let place = try Place(world.clock, pictures: 0)
      var file = MockReply.data(try Pictures.gradient(4, 4).encoded(as: .png), contentType: "image/png")
      if let validator { file = file.field(.eTag, validator) }
      if let directives { file = file.field(.cacheControl, directives) }
      place.mock.stub(.get, "/a", file)
      let downloader = place.downloader()
      for _ in 0..<2 { _ = try await downloader.image(at: "a") }
      #expect(place.paths == ["/a", "/a"])
      #expect(downloader.statistics.decodings == decodings)
      #expect(downloader.statistics.cached == 0)
      #expect(downloader.cache?.statistics.count == 2 - decodings)
      await place.session.shutdown()
    }
  }

  @Test func `the deadline of one waiter does not end the download of the others`() async throws {
    try await withSimulation(seed: 9) { world in
      let place = try Place(world.clock)
      let downloader = place.downloader { $0.maximumDownloads = 1 }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for path in ["0", "0", "1"] {
          group.addTask {
            try await Session.withDeadline(world.clock.now.advanced(by: .milliseconds(500))) {
              _ = try await downloader.image(at: path)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(place.paths == ["/0", "/1"])
      await place.session.shutdown()
    }
  }

  @Test func `a session that is shut down ends the waits`() async throws {
    try await withSimulation(seed: 10) { world in
      let place = try Place(world.clock)
      let downloader = place.downloader { $0.maximumDownloads = 1 }
      let kinds = try await withThrowingTaskGroup(of: LupineError.Kind?.self) { group in
        for number in 0..<2_000 {
          group.addTask {
            await #expect(throws: LupineError.self) {
              try await downloader.image(at: "0", headers: [.authorization("\(number)")])
            }?.kind
          }
        }
        try await world.clock.sleep(for: .milliseconds(100))
        await place.session.shutdown()
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(kinds.count == 2_000)
      #expect(kinds.allSatisfy { $0 == .sessionShutDown || $0 == .cancelled })
    }
  }

  @Test func `requests with other fields are not equal`() async throws {
    try await withSimulation(seed: 8) { world in
      let place = try Place(world.clock)
      let downloader = place.downloader()
      for token in ["a", "b", "a"] { _ = try await downloader.image(at: "0", headers: [.authorization(token)]) }
      #expect(place.paths == ["/0", "/0"])
      await place.session.shutdown()
    }
  }
}
