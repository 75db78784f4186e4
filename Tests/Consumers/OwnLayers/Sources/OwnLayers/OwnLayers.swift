import Foundation
import Lupine
import LupineMock

/// A program with its own layers.
///
/// They use options of requests, attributes of responses, stores of responses, and background tasks.
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
    try await checkServer()
    try await checkCache()
    try await checkKinds()
    try await checkShutdown()
    try await checkBrokenAnswer()
    try await checkUpload()
    print("with layers of its own, the program got every answer it expected")
  }

  static func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line) throws {
    guard value == expected else { throw Surprise(what: "line \(line): \(value) instead of \(expected)") }
  }

  /// Checks a layer of a few lines.
  static func checkServer() async throws {
    let mock = MockTransport()
    mock.stub(.get, url, .text("news").field(.server, "press/2"))
    let session = try Session.Builder().transport(mock).exchangeLayer("server") { ServerLayer() }.build()
    let response = await session.request(url).serializingString().response
    try expect(response.attributes[ServerName.self], "press/2")
    await session.shutdown()
  }

  /// Checks that a response is stored, becomes stale, and is refreshed in the background.
  static func checkCache() async throws {
    let (mock, clock) = (MockTransport(), TestClock())
    mock.stub(.get, url, .sequence([.text("one"), .text("two"), .text("three")]))
    let session = try Session.Builder().transport(mock).clock(clock).install(BriefCache()).build()
    func get(_ mode: CacheMode = .normal) async throws -> Answer {
      let response = await session.request(url).option(CacheMode.self, mode).validate().serializingString().response
      return Answer(text: try response.result.get(), status: response.attributes[CacheStatus.self])
    }
    try expect(try await get(), Answer(text: "one", status: .origin))
    await session.finishBackgroundTasks()
    try expect(try await get(), Answer(text: "one", status: .stored))
    clock.advance(by: .seconds(2))
    try expect(try await get(), Answer(text: "one", status: .stale))
    await session.finishBackgroundTasks()
    try expect(try await get(), Answer(text: "two", status: .stored))
    try expect(try await get(.bypass), Answer(text: "three", status: .bypassed))
    try expect(mock.requests.count, 3)
    await session.shutdown()
  }

  /// Checks that streams and downloads also receive a stored response.
  static func checkKinds() async throws {
    let mock = MockTransport()
    mock.stub(.get, url, count: .once, .text("a\nb\n"))
    let session = try Session.Builder().transport(mock).clock(TestClock()).install(BriefCache()).build()
    _ = try await session.request(url).serializingData().value
    await session.finishBackgroundTasks()
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

  /// Checks that a response is not stored if it is truncated or too large for the store.
  static func checkBrokenAnswer() async throws {
    let mock = MockTransport()
    let large = MockReply.data(Data(count: 2 << 20))
    mock.stub(.get, url, .sequence([.text("one").truncated(afterBytes: 2), large, .text("two"), .text("three")]))
    let session = try Session.Builder().transport(mock).clock(TestClock()).install(BriefCache()).build()
    try expect(await session.request(url).serializingData().response.error?.kind, .connectionLost)
    try expect(try await session.request(url).serializingData().value.count, 2 << 20)
    for _ in 1...2 {
      await session.finishBackgroundTasks()
      try expect(try await session.request(url).serializingString().value, "two")
    }
    await session.shutdown()
  }

  /// Checks that an upload continues after the bytes of an earlier process, and that its progress includes them.
  static func checkUpload() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = FileCheckpointStore(folder: folder)
    let records = UploadRecords(store: store)
    try await records.note(4_000, of: "video")
    let mock = MockTransport()
    mock.stub(.put, url, .text("received"))
    let session = try Session.Builder().transport(mock).exchangeLayer("uploads") { ResumingLayer(records: records) }
      .build()
    let (values, progress) = AsyncStream.makeStream(of: TransferProgress.self)
    _ = try await session.upload(Data(count: 10_000), to: url, method: .put).option(UploadName.self, "video")
      .uploadProgress { progress.yield($0) }.serializingData().value
    progress.finish()
    for await value in values { try expect(value.completed >= 4_000 && value.total == 10_000, true) }
    try expect(mock.requests.map(\.body.count), [6_000])
    try expect(try store.read("video"), nil)
    await session.shutdown()
  }

  /// Checks that the shutdown of the session ends a refresh whose server does not respond.
  static func checkShutdown() async throws {
    let (mock, clock) = (MockTransport(), TestClock())
    mock.stub(.get, url, .sequence([.text("one"), .stall]))
    let session = try Session.Builder().transport(mock).clock(clock).install(BriefCache()).build()
    _ = try await session.request(url).serializingData().value
    await session.finishBackgroundTasks()
    clock.advance(by: .seconds(2))
    let response = await session.request(url).serializingString().response
    try expect(response.attributes[CacheStatus.self], .stale)
    await session.shutdown()
    try expect(session.startBackgroundTask {}, false)
  }
}
