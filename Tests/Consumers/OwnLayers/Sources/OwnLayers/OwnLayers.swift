import Foundation
import Lupine
import LupineMock

/// A program with a layer of its own that uses what Lupine offers to layers: options of requests, attributes of
/// responses, tasks in the background, and overrides of transports.
@main struct OwnLayers {
  struct Surprise: Error {
    let what: String
  }

  struct Answer: Equatable {
    let text: String
    let status: CacheStatus?
  }

  static let url = "https://example.com/news"

  static func main() async throws {
    try await checkCache()
    try await checkKinds()
    try await checkShutdown()
    try await checkOverride()
    print("with layers of its own, the program got every answer it expected")
  }

  static func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line) throws {
    guard value == expected else { throw Surprise(what: "line \(line): \(value) instead of \(expected)") }
  }

  /// The answer is stored, becomes stale, and is refreshed in the background.
  static func checkCache() async throws {
    let (mock, clock) = (MockTransport(), TestClock())
    mock.stub(.get, url, .sequence([.text("one"), .text("two"), .text("three")]))
    let session = try Session.Builder().transport(mock).clock(clock).install(BriefCache()).build()
    func get(_ mode: CacheMode = .normal) async throws -> Answer {
      let response = await session.request(url).option(CacheMode.self, mode).validate().serializingString().response
      return Answer(text: try response.result.get(), status: response.attributes[CacheStatus.self])
    }
    try expect(try await get(), Answer(text: "one", status: .origin))
    try expect(try await get(), Answer(text: "one", status: .stored))
    clock.advance(by: .seconds(2))
    try expect(try await get(), Answer(text: "one", status: .stale))
    await session.finishBackgroundTasks()
    try expect(try await get(), Answer(text: "two", status: .stored))
    try expect(try await get(.bypass), Answer(text: "three", status: .bypassed))
    try expect(mock.requests.count, 3)
    await session.shutdown()
  }

  /// A stored answer goes to a stream and to a file as well.
  static func checkKinds() async throws {
    let mock = MockTransport()
    mock.stub(.get, url, count: .once, .text("a\nb\n"))
    let session = try Session.Builder().transport(mock).clock(TestClock()).install(BriefCache()).build()
    _ = try await session.request(url).serializingData().value
    let stream = session.streamRequest(url)
    var lines: [String] = []
    for try await line in stream.serializingLines() { lines.append(line) }
    try expect(lines, ["a", "b"])
    try expect(stream.responseAttributes[CacheStatus.self], .stored)
    let download = await session.download(url).serializingString().response
    try expect(download.value, "a\nb\n")
    try expect(download.attributes[CacheStatus.self], .stored)
    await session.shutdown()
    try mock.verify()
  }

  /// A refresh that gets no answer ends with its session.
  static func checkShutdown() async throws {
    let (mock, clock) = (MockTransport(), TestClock())
    mock.stub(.get, url, .sequence([.text("one"), .stall]))
    let session = try Session.Builder().transport(mock).clock(clock).install(BriefCache()).build()
    _ = try await session.request(url).serializingData().value
    clock.advance(by: .seconds(2))
    let response = await session.request(url).serializingString().response
    try expect(response.attributes[CacheStatus.self], .stale)
    await session.shutdown()
    try expect(session.startBackgroundTask {}, false)
  }

  /// A test's scope records the exchanges of a session that the code under test builds.
  static func checkOverride() async throws {
    let scope = RecordingScope()
    try await scope.provideScope {
      let mock = MockTransport()
      mock.stub(.get, url, .text("news"))
      let session = try Session.Builder().transport(mock).install(BriefCache()).build()
      for _ in 1...2 { _ = try await session.request(url).serializingData().value }
    }
    // The cache stands outside the recording, which hears of the first exchange alone.
    try expect(scope.recording.all, ["GET \(url) 200"])
  }
}
