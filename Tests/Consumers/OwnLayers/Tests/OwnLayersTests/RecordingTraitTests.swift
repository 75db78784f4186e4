import Lupine
import LupineMock
import Testing

@testable import OwnLayers

@Suite struct RecordingTraitTests {
  static let url = "https://example.com/news"

  @Test(.recorded) func `a request of a test goes through the wrapper`() async throws {
    let recording = try #require(Recording.current)
    // The cache is outside the recording transport, which receives only the first exchange.
    try await Self.readNews(times: 2)
    #expect(recording.all == ["GET \(Self.url) 200"])
  }

  @Test(.recorded, arguments: 1...4) func `each case has a recording of its own`(count: Int) async throws {
    let recording = try #require(Recording.current)
    for _ in 1...count { try await Self.readNews(times: 1) }
    #expect(recording.all.count == count)
  }

  @Test func `a request of a test without the trait does not go through the wrapper`() async throws {
    let recording = Recording()
    let wrapped = Recording.$current.withValue(recording) { TransportOverride.wrap != nil }
    #expect(!wrapped)
    try await Self.readNews(times: 1)
    #expect(recording.all.isEmpty)
    #expect(Recording.current == nil)
  }

  @Test func `requests beside a scope do not go through its wrapper`() async throws {
    let test = try #require(Test.current)
    let outside = try Self.session()
    try await RecordingTrait().provideScope(for: test, testCase: nil) {
      let recording = try #require(Recording.current)
      _ = try await outside.request(Self.url).serializingData().value
      #expect(recording.all.isEmpty)
      try await Self.readNews(times: 1)
      #expect(recording.all.count == 1)
    }
    try await Self.readNews(times: 1)
  }

  /// The code under test, which builds its own session.
  static func readNews(times: Int) async throws {
    let session = try session()
    for _ in 1...times {
      _ = try await session.request(url).serializingData().value
      await session.finishBackgroundTasks()
    }
    await session.shutdown()
  }

  static func session() throws -> Session {
    let mock = MockTransport()
    mock.stub(.get, url, .text("news"))
    return try Session.Builder().transport(mock).install(BriefCache()).build()
  }
}
