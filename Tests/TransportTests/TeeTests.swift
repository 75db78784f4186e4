import Foundation
import HTTPTypes
import LupineCompression
import LupineCore
import LupineCurl
import LupineFixtures
import LupineSession
import LupineStreams
import LupineTesting
import LupineTransfers
import Synchronization
import Testing
import TransportSupport

/// Layers that observe the bodies of a server's responses.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct TeeTests {
  private let notes = BodyNotes()
  private let folder: TemporaryFolder
  private static let content = [UInt8]((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) })

  init() throws { folder = try TemporaryFolder() }

  private func session() throws -> Session {
    try Session.Builder().transport(.curl).contentCoding(.gzip).exchangeLayer("tee") { [notes] in
      NotingLayer(notes: notes)
    }.build()
  }

  enum Destination: CaseIterable { case memory, file, stream }

  private func receive(_ url: String, _ destination: Destination, by session: Session) async throws -> [UInt8] {
    switch destination {
    case .memory:
      let response = await session.request(url).serializingData().response
      return response.error?.kind == .emptyResponse ? [] : Array(try response.result.get())
    case .file:
      let file = try await session.download(url, to: .file(folder.file("a"))).serializingFile().value
      return Array(try Data(contentsOf: file))
    case .stream:
      var all: [UInt8] = []
      for try await bytes in session.streamRequest(url).serializingBytes() { all += bytes }
      return all
    }
  }

  /// Requests `reply`, and compares the bytes of the consumer and of the observer with the expected ones.
  private func expect(
    _ reply: ScriptedReply, _ received: [UInt8], observed: [UInt8], _ destination: Destination
  ) async throws {
    let server = try ScriptedServer(always: reply)
    let session = try session()
    #expect(try await receive(server.url, destination, by: session) == received)
    #expect(notes.bytes == observed)
    let end = try #require(notes.results.first).get()
    #expect(end.byteCount == Int64(observed.count))
    #expect(notes.threads.isDisjoint(with: ["lupine-curl", "lupine-native"]))
    await session.shutdown()
  }

  @Test(arguments: Destination.allCases)
  func `an observer has the whole body and its end before the program has`(destination: Destination) async throws {
    try await expect(.respond(body: .bytes(Self.content)), Self.content, observed: Self.content, destination)
  }

  @Test(arguments: Destination.allCases)
  func `an observer has an empty body's end`(destination: Destination) async throws {
    try await expect(.respond(), [], observed: [], destination)
  }

  @Test(arguments: Destination.allCases)
  func `an observer sees gzip data before they are decoded`(destination: Destination) async throws {
    let encoder = try GzipCoding().makeEncoder()
    var coded: [UInt8] = []
    try Self.content.withUnsafeBytes { try encoder.transform($0) { coded += $0 } }
    try encoder.finish { coded += $0 }
    let reply = ScriptedReply.respond(fields: ["Content-Encoding": "gzip"], body: .bytes(coded))
    try await expect(reply, Self.content, observed: coded, destination)
  }

  @Test func `an observer has the end of a response to HEAD`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("hello")))
    let session = try session()
    _ = await session.request(server.url, method: .head).serializingData().response
    #expect(notes.bytes.isEmpty)
    #expect(try notes.results.first?.get().byteCount == 0)
    await session.shutdown()
  }

  @Test(arguments: Destination.allCases)
  func `an observer has the bytes before a truncation, and its error`(destination: Destination) async throws {
    let server = try ScriptedServer(always: .truncated(afterBytes: 1_500_000, of: .bytes(Self.content)))
    let session = try session()
    await #expect(throws: LupineError.self) { try await receive(server.url, destination, by: session) }
    #expect(await notes.failure()?.kind == .connectionLost)
    #expect(notes.bytes == Array(Self.content.prefix(1_500_000)))
    #expect(notes.threads.isDisjoint(with: ["lupine-curl", "lupine-native"]))
    await session.shutdown()
  }

  @Test(arguments: Destination.allCases)
  func `an observer receives a cancellation off the transport's thread`(destination: Destination) async throws {
    let server = try ScriptedServer(always: .stall(afterBytes: 1_500_000, of: .bytes(Self.content)))
    let session = try session()
    let receiving = Task { try await receive(server.url, destination, by: session) }
    await notes.began()
    receiving.cancel()
    await #expect(throws: LupineError.self) { try await receiving.value }
    #expect(await notes.failure()?.kind == .cancelled)
    #expect(Self.content.starts(with: notes.bytes))
    #expect(notes.threads.isDisjoint(with: ["lupine-curl", "lupine-native"]))
    await session.shutdown()
  }
}

/// Records the bytes and the result that an observer receives, and the names of the threads that call it.
private final class BodyNotes: BodyObserver {
  private struct State {
    var bytes: [UInt8] = []
    var results: [Result<BodyEnd, LupineError>] = []
    var threads: Set<String> = []
  }

  private let state = Mutex(State())
  private let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
  private let (ends, ending) = AsyncStream.makeStream(of: Void.self)

  func receive(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      state.bytes += bytes
      state.threads.insert(CurrentThread.name)
    }
    beginning.finish()
  }

  func end(_ result: Result<BodyEnd, LupineError>) {
    state.withLock { state in
      state.results.append(result)
      state.threads.insert(CurrentThread.name)
    }
    ending.finish()
  }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var results: [Result<BodyEnd, LupineError>] { state.withLock { $0.results } }
  var threads: Set<String> { state.withLock { $0.threads } }

  func began() async { for await _ in beginnings {} }

  func failure() async -> LupineError? {
    for await _ in ends {}
    guard results.count == 1, case .failure(let error) = results[0] else { return nil }
    return error
  }
}

/// A layer that observes the body of each response.
private struct NotingLayer: ExchangeLayer {
  let notes: BodyNotes

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let response = try await next(request, in: context)
    response.body.tee(into: notes)
    return response
  }
}
