import HTTPTypes
import LupineCore
import LupineFoundation
import LupineImage
import LupineMock
import LupineSession
import Testing

@Suite struct DownloadErrorTests {
  private struct FilterFailure: Error {}

  private func downloader(
    _ clock: any Clock<Duration>, _ reply: MockReply, limits: ImageLimits = ImageLimits(),
    _ change: (Session.Builder) throws -> Session.Builder = { $0 }
  ) throws -> (ImageDownloader, MockTransport) {
    let mock = MockTransport()
    mock.stub(.get, "/a", reply)
    let session = try change(Session.Builder().transport(mock).baseURL("https://example.com").clock(clock)).build()
    var configuration = ImageDownloader.Configuration()
    configuration.clock = clock
    configuration.limits = limits
    return (ImageDownloader(session: session, configuration: configuration), mock)
  }

  private static let picture = Result { try Pictures.gradient(4, 4).encoded(as: .png) }

  @Test func `every waiter receives the error of the download or of the decoding`() async throws {
    let replies: [(MockReply, LupineError.Kind)] = [
      (.status(.notFound), .unacceptableStatusCode(404)), (.text("no picture"), .unacceptableContentType("text/plain")),
      (.data(Data([0x89, 0x50]), contentType: "image/png"), .unsupportedImage),
      (.data(try Self.picture.get().dropLast(20), contentType: "image/png"), .invalidImage),
      (.data(try Self.picture.get(), contentType: "image/jpeg"), .unacceptableContentType("image/jpeg")),
      (.data(Data(), contentType: "image/png"), .emptyResponse), (.failure(.hostNotFound), .hostNotFound),
    ]
    for (reply, kind) in replies {
      try await withSimulation(seed: 1) { world in
        let (downloader, mock) = try downloader(world.clock, reply.delay(.seconds(1)))
        let kinds = await withTaskGroup(of: LupineError.Kind?.self) { group in
          for index in 0..<3 {
            group.addTask {
              do {
                _ = try await downloader.image(at: "a", filters: index == 0 ? [] : [.circle])
                return nil
              } catch {
                return (error as? LupineError)?.kind
              }
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds == [kind, kind, kind])
        #expect(mock.requests.count == 1)
        // An error is not kept.
        _ = try? await downloader.image(at: "a")
        #expect(mock.requests.count == 2)
      }
    }
  }

  @Test func `a file above its limit ends the download`() async throws {
    var limits = ImageLimits()
    limits.fileSize = 1_000
    let pieces = Array(repeating: Data(count: 600), count: 50)
    for reply in [
      MockReply.data(Data(count: 30_000), contentType: "image/png"),
      MockReply.data(Data(), contentType: "image/png").chunked(pieces, every: .seconds(1)),
    ] {
      try await withSimulation(seed: 2) { [limits] world in
        let (downloader, _) = try downloader(world.clock, reply, limits: limits)
        let error = await #expect(throws: LupineError.self) { try await downloader.image(at: "a") }
        #expect((error?.underlying as? ImageLimitExceeded)?.limit == .fileSize)
        #expect(world.clock.now.offset < .seconds(5))
      }
    }
  }

  @Test func `the error of a filter reaches its waiter alone`() async throws {
    try await withSimulation(seed: 3) { world in
      let reply = MockReply.data(try Self.picture.get(), contentType: "image/png").delay(.seconds(1))
      let (downloader, _) = try downloader(world.clock, reply)
      let failing = ImageFilter(name: "failing") { _ throws(LupineError) in
        throw LupineError(.other, "no", underlying: FilterFailure())
      }
      async let good = downloader.image(at: "a").width
      async let bad = downloader.image(at: "a", filters: [failing])
      #expect(try await good == 4)
      do {
        _ = try await bad
        Issue.record("no error")
      } catch { #expect((error as? LupineError)?.underlying is FilterFailure) }
    }
  }

  @Test func `retriers and the network policy of the session apply`() async throws {
    try await withSimulation(seed: 4) { world in
      let file = MockReply.data(try Self.picture.get(), contentType: "image/png")
      let (downloader, mock) = try downloader(world.clock, .sequence([.status(.serviceUnavailable), file])) {
        $0.retrier(.backoff(limit: 2))
      }
      #expect(try await downloader.image(at: "a").width == 4)
      #expect(mock.requests.count == 2)
      let (guarded, local) = try self.downloader(world.clock, file) { $0.networkPolicy(.publicInternetOnly) }
      local.resolves("example.com", to: ["127.0.0.1"])
      let error = await #expect(throws: LupineError.self) { try await guarded.image(at: "a") }
      #expect(error?.kind == .addressRefused)
    }
  }

  @Test func `an invalid URL is an error`() async throws {
    let (downloader, _) = try downloader(TestClock(), .status(.ok))
    let error = await #expect(throws: LupineError.self) { try await downloader.image(at: "ftp://example.com/a") }
    #expect(error?.kind == .invalidURL)
  }
}
