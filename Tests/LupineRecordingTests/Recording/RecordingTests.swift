import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineRecording
import LupineSession
import LupineStreams
import LupineSupport
import LupineTesting
import Testing
import TransportSupport

/// The files of a recording.
@Suite(.timeLimit(.minutes(1))) struct RecordingTests {
  private static func mock() -> MockTransport {
    let mock = MockTransport()
    mock.stub(.get, "/users/{id}", .text("Ada"))
    mock.stub(.get, "/slow", .text("slow").delay(.seconds(1)))
    mock.stub(.post, "/users", .status(.created))
    return mock
  }

  /// Records requests for these paths, one after the other.
  private static func record(
    _ paths: [String], to path: String, options: RecordingOptions = RecordingOptions(),
    clock: ImmediateClock = ImmediateClock(), over mock: MockTransport = mock()
  ) async throws {
    let recorder = RecordingTransport(around: mock, to: path, options: options)
    let session = try Session.Builder().transport(recorder).clock(clock).baseURL("https://example.com").build()
    for path in paths { _ = await session.request(path).serializingData().response }
    try await recorder.recording.finish()
  }

  @Test func `exchanges stand in the order of their first sending`() async throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let recorder = RecordingTransport(around: Self.mock(), to: folder.file("a.cassette"))
    let session = try Session.Builder().transport(recorder).clock(clock).baseURL("https://example.com").build()
    async let slow = session.request("slow").serializingString().value
    await clock.waitForSleepers()
    _ = try await session.request("users/1").serializingString().value
    clock.advance(by: .seconds(1))
    _ = try await slow
    try await recorder.recording.finish()
    let entries = try Cassette(contentsOf: folder.file("a.cassette")).entries
    #expect(entries.map(\.request.url) == ["https://example.com/slow", "https://example.com/users/1"])
    #expect(entries.map(\.duration) == [.seconds(1), .zero])
    #expect(folder.names == ["a.cassette"])
  }

  @Test func `recording again keeps equal blocks and their order, byte for byte`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.cassette")
    try await Self.record(["users/1", "users/2", "users/3"], to: path)
    let old = try folder.text("a.cassette").split(separator: "\n\n").map(String.init)
    let later = ImmediateClock(date: Date(timeIntervalSince1970: 1_900_000_000))
    try await Self.record(["users/3", "users/4", "users/1"], to: path, clock: later)
    let new = try folder.text("a.cassette").split(separator: "\n\n").map(String.init)
    #expect(new.count == 4)
    #expect(new[0] != old[0])
    #expect(new[1].trimmingSuffix("\n") == old[1].trimmingSuffix("\n"))
    #expect(new[2].contains("users/4"))
    #expect(new[3].trimmingSuffix("\n") == old[3].trimmingSuffix("\n"))
  }

  @Test func `only what the cassette lacks is made and added`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.cassette")
    try await Self.record(["users/1"], to: path)
    let old = try folder.text("a.cassette")
    var options = RecordingOptions()
    options.addsMissing = true
    let mock = Self.mock()
    try await Self.record(["users/1", "users/2"], to: path, options: options, over: mock)
    #expect(mock.requests.map(\.url.string) == ["https://example.com/users/2"])
    let entries = try Cassette(contentsOf: path).entries
    #expect(entries.map(\.request.url) == ["https://example.com/users/1", "https://example.com/users/2"])
    #expect(try folder.text("a.cassette").contains(old.split(separator: "\n\n")[1]))
  }

  @Test func `a second recording of the same cassette fails with a sentence, and its exchanges go on`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.cassette")
    let first = RecordingTransport(around: Self.mock(), to: path)
    let session = try Session.Builder().transport(first).clock(ImmediateClock()).build()
    _ = try await session.request("https://example.com/users/1").serializingString().value
    let second = RecordingTransport(around: Self.mock(), to: path)
    let other = try Session.Builder().transport(second).clock(ImmediateClock()).build()
    #expect(try await other.request("https://example.com/users/2").serializingString().value == "Ada")
    let error = await #expect(throws: LupineError.self) { try await second.recording.finish() }
    #expect(error?.kind == .recordingFailed)
    #expect(error?.message.contains("is recording into the cassette") == true)
    try await first.recording.finish()
    #expect(try Cassette(contentsOf: path).entries.map(\.request.url) == ["https://example.com/users/1"])
  }

  @Test func `a secret that no rule names fails the recording, and nothing is written`() async throws {
    let folder = try TemporaryFolder()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("the token is ghp_" + String(repeating: "a1B2", count: 9)))
    await #expect(throws: LupineError.self) {
      try await Self.record(["users/1"], to: folder.file("a.cassette"), over: mock)
    }
    #expect(folder.names.isEmpty)
  }

  @Test func `a journal that was left is taken in by readers and by the next recording`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.cassette")
    try await Self.record(["users/1", "users/2"], to: path)
    let whole = try folder.text("a.cassette")
    // As a killed process leaves it, with a block that is cut off.
    try folder.write(whole + "\n{\"request\":\"GET https://exa", to: "a.cassette.part")
    try FileManager.default.removeItem(atPath: path)
    #expect(try CassetteFile.read(path).cassette.entries.count == 2)
    var options = RecordingOptions()
    options.addsMissing = true
    let mock = Self.mock()
    try await Self.record(["users/1", "users/3"], to: path, options: options, over: mock)
    #expect(mock.requests.count == 1)
    #expect(try Cassette(contentsOf: path).entries.count == 3)
    #expect(folder.names == ["a.cassette"])
  }

  @Test func `an upload over its limit is its length and digest`() async throws {
    let folder = try TemporaryFolder()
    let piece = [UInt8](repeating: 0x61, count: 100)
    var options = RecordingOptions()
    options.uploadLimit = 1_000
    let recorder = RecordingTransport(around: Self.mock(), to: folder.file("a.cassette"), options: options)
    let session = try Session.Builder().transport(recorder).clock(ImmediateClock()).build()
    for body in [
      RequestBody.bytes(Array(repeating: piece, count: 11).flatMap(\.self)),
      .oneShot(Pieces(Array(repeating: piece, count: 11))),
    ] {
      let request = try OutgoingRequest("https://example.com/users", method: .post, body: body)
      _ = await session.request(request).serializingData().response
    }
    try await recorder.recording.finish()
    var digest = SHA256()
    for _ in 0..<11 { piece.withUnsafeBytes { digest.update($0) } }
    let expected = Cassette.Content.digest(length: 1_100, sha256: Data(digest.finalize()))
    #expect(try Cassette(contentsOf: folder.file("a.cassette")).entries.map(\.request.body) == [expected, expected])
  }

  @Test func `an exchange that nobody reads to its end is recorded as stalled`() async throws {
    let folder = try TemporaryFolder()
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("").chunked(["one", "two"], every: .seconds(1)))
    let clock = TestClock()
    let recorder = RecordingTransport(around: mock, to: folder.file("a.cassette"))
    let session = try Session.Builder().transport(recorder).clock(clock).build()
    let stream = session.streamRequest("https://example.com/").serializingBytes()
    _ = try await stream.head
    try await recorder.recording.finish(waiting: .zero)
    let entry = try #require(try Cassette(contentsOf: folder.file("a.cassette")).entries.first)
    #expect(entry.end == .stalled)
    #expect(entry.response?.head.status == .ok)
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> Substring {
    var text = self[...]
    while text.last == suffix { text.removeLast() }
    return text
  }
}
