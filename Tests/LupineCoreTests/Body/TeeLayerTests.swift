import Foundation
import HTTPTypes
import LupineFixtures
import LupineMock
import LupineStreams
import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

/// Layers that observe bodies.
@Suite(.timeLimit(.minutes(1))) struct TeeLayerTests {
  private let mock = MockTransport()
  private let recorders = Notes<BodyRecorder>()
  private let folder: TemporaryFolder
  private static let content = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 251) })

  init() throws { folder = try TemporaryFolder() }

  private func session(
    on clock: any Clock<Duration> = ImmediateClock(),
    _ recorder: @escaping @Sendable () -> BodyRecorder = { BodyRecorder() }
  ) throws -> Session {
    try Session.Builder().transport(mock).clock(clock).contentCoding(Rot("rot")).exchangeLayer("tee") { [recorders] in
      TeeingLayer(make: recorder, recorders: recorders)
    }.baseURL("https://example.com").build()
  }

  private var recorder: BodyRecorder {
    get throws {
      try #require(recorders.all.count == 1)
      return recorders.all[0]
    }
  }

  enum Destination: CaseIterable { case memory, file, stream }

  /// Receives a body into memory, a file or a stream, and returns its bytes.
  private func receive(_ destination: Destination, from session: Session) async throws -> Data {
    switch destination {
    case .memory: return try await session.request("a").serializingData().value
    case .file:
      let url = try await session.download("a", to: .file(folder.file("a"))).serializingFile().value
      return try Data(contentsOf: url)
    case .stream:
      var data = Data()
      for try await bytes in session.streamRequest("a").serializingBytes() { data += bytes }
      return data
    }
  }

  @Test(arguments: Destination.allCases)
  func `an observer has the whole body and its end before the program has`(destination: Destination) async throws {
    mock.stub(.get, "/a", .data(Self.content))
    #expect(try await receive(destination, from: session()) == Self.content)
    #expect(try Data(recorder.bytes) == Self.content)
    #expect(try recorder.end?.byteCount == 600_000)
  }

  @Test(arguments: Destination.allCases)
  func `an observer has the bytes before a truncation, and its error`(destination: Destination) async throws {
    mock.stub(.get, "/a", MockReply.data(Self.content).truncated(afterBytes: 400_000))
    await #expect(throws: LupineError.self) { try await receive(destination, from: session()) }
    #expect(try await recorder.failure()?.kind == .connectionLost)
    #expect(try Data(recorder.bytes) == Self.content.prefix(400_000))
  }

  @Test(arguments: Destination.allCases)
  func `an observer receives a cancellation as a failure`(destination: Destination) async throws {
    mock.stub(.get, "/a", MockReply.data(Self.content).stall(afterBytes: 1_000))
    let began = Flag()
    let session = try session(on: TestClock()) { BodyRecorder { began.raise() } }
    let receiving = Task { try await receive(destination, from: session) }
    await began.raised()
    receiving.cancel()
    await #expect(throws: LupineError.self) { try await receiving.value }
    #expect(try await recorder.failure()?.kind == .cancelled)
    #expect(try Self.content.starts(with: recorder.bytes))
  }

  @Test func `an observer receives the timeout that passed`() async throws {
    mock.stub(.get, "/a", MockReply.data(Self.content).stall(afterBytes: 1_000))
    let (began, clock) = (Flag(), TestClock())
    let session = try session(on: clock) { BodyRecorder { began.raise() } }
    async let response = session.request("a").timeouts { $0.total = .seconds(1) }.serializingData().response
    await began.raised()
    clock.advance(by: .seconds(2))
    #expect(await response.error?.kind == .timedOut(.total))
    #expect(try await recorder.failure()?.kind == .timedOut(.total))
  }

  @Test(arguments: Destination.allCases)
  func `an observer sees a coded body before it is decoded`(destination: Destination) async throws {
    mock.stub(.get, "/a", MockReply.text("ifmmp").field(.contentEncoding, "rot"))
    #expect(try await receive(destination, from: session()) == Data("hello".utf8))
    #expect(try recorder.bytes == Array("ifmmp".utf8))
    #expect(try recorder.end?.byteCount == 5)
  }

  @Test(arguments: [HTTPRequest.Method.get, .head], [HTTPResponse.Status.ok, .noContent])
  func `a response without content has an end`(method: HTTPRequest.Method, status: HTTPResponse.Status) async throws {
    mock.stub([method], "/a", method == .head && status == .ok ? .text("hello") : .status(status))
    _ = await (try session()).request("a", method: method).serializingData().response
    #expect(try recorder.bytes.isEmpty)
    #expect(try recorder.end?.byteCount == 0)
  }

  @Test(arguments: Destination.allCases)
  func `an observer that throws harms no transfer`(destination: Destination) async throws {
    mock.stub(.get, "/a", .data(Self.content))
    let session = try session { BodyRecorder(failingAfter: 1) }
    #expect(try await receive(destination, from: session) == Self.content)
    #expect(try recorder.results.isEmpty)
  }

  @Test func `each exchange of a request has an observer of its own`() async throws {
    mock.stub(.get, "/a", .text("moved", status: .found).field(.location, "/b"))
    mock.stub(.get, "/b", .sequence([.text("busy", status: .serviceUnavailable), .text("here")]))
    let text = try await session().request("a").validate().retrier(.backoff(limit: 1)).serializingString().value
    #expect(text == "here")
    #expect(recorders.all.map { String(decoding: $0.bytes, as: UTF8.self) } == ["moved", "busy", "moved", "here"])
    #expect(recorders.all.allSatisfy { $0.end != nil })
  }

  @Test func `a stream that its reader leaves did not pass`() async throws {
    mock.stub(.get, "/a", .data(Self.content))
    let session = try session()
    for try await _ in session.streamRequest("a", window: 1_000).serializingBytes() { break }
    await session.finishRequests()
    #expect(try await recorder.failure()?.kind == .cancelled)
  }
}
