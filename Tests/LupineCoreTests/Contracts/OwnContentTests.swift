import Foundation
import HTTPTypes
import LupineFixtures
import LupineMock
import LupineStreams
import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

/// Responses that a layer makes from its own content.
@Suite(.timeLimit(.minutes(1))) struct OwnContentTests {
  private static let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) })
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write(Self.content, to: "stored")
  }

  private func session(
    _ content: RequestBody, _ head: HTTPResponse = HTTPResponse(status: .ok), trailers: HTTPFields? = nil
  ) throws -> Session {
    let transport = ClosureTransport { (_, context) throws(LupineError) in
      try await context.makeResponse(head, content: content, trailers: trailers)
    }
    return try Session.Builder().transport(transport).clock(ImmediateClock()).contentCoding(Rot("rot")).build()
  }

  enum Destination: CaseIterable { case memory, file, stream }

  private func receive(_ destination: Destination, from session: Session) async throws -> Data {
    switch destination {
    case .memory: return try await session.request(TestBed.url).serializingData().value
    case .file:
      let file = try await session.download(TestBed.url, to: .file(folder.file("a"), .removePreviousFile))
        .serializingFile().value
      return try Data(contentsOf: file)
    case .stream:
      var data = Data()
      for try await bytes in session.streamRequest(TestBed.url, window: 1_000).serializingBytes() { data += bytes }
      return data
    }
  }

  @Test(arguments: Destination.allCases, [Int64(0), 300_000, 999_999])
  func `a stored file goes to each destination, from an offset on`(destination: Destination, offset: Int64) async throws
  {
    let session = try session(.file(path, offset: offset))
    #expect(try await receive(destination, from: session) == Self.content.dropFirst(Int(offset)))
  }

  @Test func `a range of a stored file is a part of it`() async throws {
    let head = HTTPResponse(status: .partialContent, headerFields: [.contentRange: "bytes 10-29/1000000"])
    let response = await (try session(.file(path, offset: 10, length: 20), head)).request(TestBed.url).serializingData()
      .response
    #expect(response.response?.status == .partialContent)
    #expect(response.value == Self.content[10..<30])
  }

  @Test(arguments: Destination.allCases)
  func `bytes and streams go to each destination`(destination: Destination) async throws {
    let stream = RequestBody.stream {
      AsyncStream<[UInt8]> { continuation in
        for piece in ["if", "mm", "p"] { continuation.yield(Array(piece.utf8)) }
        continuation.finish()
      }
    }
    let head = HTTPResponse(status: .ok, headerFields: [.contentEncoding: "rot"])
    for content in [stream, .text("ifmmp")] {
      #expect(try await receive(destination, from: session(content, head)) == Data("hello".utf8))
    }
  }

  @Test func `trailers follow the content`() async throws {
    for content in [RequestBody.file(path), .text("a"), .none] {
      let response = await (try session(content, trailers: [.server: "t"])).request(TestBed.url).serializingData()
        .response
      #expect(response.trailers?[.server] == "t")
    }
  }

  @Test func `content that cannot be opened is an error before the head`() async throws {
    let response = await (try session(.file(folder.file("missing")))).request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .bodyFailed)
    #expect(response.response == nil)
  }

  @Test func `content that fails after the head fails the body`() async throws {
    struct Torn: Error {}
    let content = RequestBody.stream {
      AsyncThrowingStream<[UInt8], any Error> { continuation in
        continuation.yield([1])
        continuation.finish(throwing: Torn())
      }
    }
    let response = await (try session(content)).request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .bodyFailed)
    #expect(response.response?.status == .ok)
  }

  @Test(arguments: [false, true])
  func `a cancellation ends the reading`(isPaused: Bool) async throws {
    let ended = Flag()
    let content = RequestBody.stream {
      AsyncStream<[UInt8]> { continuation in
        continuation.onTermination = { _ in ended.raise() }
        continuation.yield([UInt8](repeating: 1, count: isPaused ? 1 << 20 : 1))
      }
    }
    let session = try session(content)
    let stream = session.streamRequest(TestBed.url, window: 1_000)
    var pieces = stream.serializingBytes().makeAsyncIterator()
    _ = try await pieces.next()
    stream.cancel()
    await ended.raised()
    await session.finishRequests()
  }

  @Test func `the content of a dropped response is not read to its end`() async throws {
    let ended = Flag()
    let content = RequestBody(length: nil, isReplayable: true) { (_) throws(LupineError) in EndlessReader(ended) }
    let context = TransferContext(id: RequestID(1), sink: { _ in .stream(window: 1) })
    let body = try await context.makeResponse(HTTPResponse(status: .ok), content: content).body
    #expect(try await body.next()?.isEmpty == false)
    body.abandon()
    await ended.raised()
  }

  @Test func `the bytes are progress of the download`() async throws {
    let notes = Notes<TransferProgress>()
    let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "1000000"])
    _ = try await session(.file(path), head).request(TestBed.url).downloadProgress { notes.add($0) }.serializingData()
      .value
    #expect(notes.all.last?.completed == 1_000_000)
    #expect(notes.all.allSatisfy { $0.total == 1_000_000 })
  }
}

/// A reader whose bytes never end.
private final class EndlessReader: BodyReader {
  let length: Int64? = nil
  private let ended: Flag

  init(_ ended: Flag) { self.ended = ended }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    buffer.initializeMemory(as: UInt8.self, repeating: 1)
    return .bytes(buffer.count)
  }

  func cancel() { ended.raise() }
}
