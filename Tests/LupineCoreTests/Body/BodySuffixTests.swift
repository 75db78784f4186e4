import FoundationEssentials
import Glibc
import HTTPTypes
import LupineFixtures
import LupineMock
import LupineSession
import Testing

@testable import LupineCore

@Suite struct BodySuffixTests {
  private static func read(_ body: RequestBody) async throws(LupineError) -> String {
    var bytes: [UInt8] = []
    try await body.drain { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A replayable stream of three pieces.
  private static func stream(length: Int64?) -> RequestBody {
    .stream(length: length) {
      AsyncStream<[UInt8]> { continuation in
        for piece in ["012", "345", "6789"] { continuation.yield(Array(piece.utf8)) }
        continuation.finish()
      }
    }
  }

  enum Kind: CaseIterable { case bytes, file, stream, unknownLength }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func body(_ kind: Kind) throws -> RequestBody {
    switch kind {
    case .bytes: return .text("0123456789")
    case .file: return .file(try folder.write("0123456789", to: "a"))
    case .stream: return Self.stream(length: 10)
    case .unknownLength: return Self.stream(length: nil)
    }
  }

  @Test(arguments: Kind.allCases, [Int64(0), 1, 3, 5, 9, 10])
  func `a body that can be sent again is read from an offset, any number of times`(
    kind: Kind, offset: Int64
  ) async throws {
    let suffix = try body(kind).suffix(from: offset)
    for _ in 0..<2 { #expect(try await Self.read(suffix) == "0123456789".dropFirst(Int(offset))) }
    #expect(suffix.isReplayable)
    #expect(suffix.length == (kind == .file || kind == .unknownLength ? nil : 10 - offset))
    #expect(!suffix.isNone)
  }

  @Test(arguments: Kind.allCases) func `a suffix has suffixes`(kind: Kind) async throws {
    let suffix = try body(kind).suffix(from: 2).suffix(from: 3)
    #expect(try await Self.read(suffix) == "56789")
  }

  @Test func `a part of a file has suffixes, and is read no further`() async throws {
    let part = RequestBody.file(try folder.write("0123456789", to: "a"), offset: 2, length: 5)
    let suffix = try part.suffix(from: 2)
    #expect(suffix.length == 3)
    #expect(suffix.source == .file(path: folder.file("a"), offset: 4))
    #expect(try await Self.read(suffix) == "456")
    #expect(try await Self.read(part.suffix(from: 5)) == "")
    #expect(throws: LupineError.self) { try part.suffix(from: 6) }
  }

  @Test(arguments: Kind.allCases, [Int64(-1), .min, 11, .max])
  func `an offset outside of the body is an error`(kind: Kind, offset: Int64) async throws {
    let body = try body(kind)
    let error = await #expect(throws: LupineError.self) { try await Self.read(body.suffix(from: offset)) }
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `a file that has become shorter than the offset is an error`() async throws {
    let suffix = try body(.file).suffix(from: 6)
    #expect(truncate(folder.file("a"), 5) == 0)
    let error = await #expect(throws: LupineError.self) { try await Self.read(suffix) }
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `a file that becomes shorter while it is read is an error`() async throws {
    try folder.write("", to: "long")
    // The file takes no space on the disk, and is longer than any memory, so that no reader has read all of it.
    #expect(truncate(folder.file("long"), 1 << 40) == 0)
    let reader = try AsyncBodyReader(RequestBody.file(folder.file("long")).suffix(from: 2).makeReader)
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
    defer { space.deallocate() }
    #expect(try await reader.read(into: space) == 3)
    #expect(truncate(folder.file("long"), 5) == 0)
    let error = await #expect(throws: LupineError.self) {
      while try await reader.read(into: space) != nil {}
    }
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `a stream that exists once has no suffix but itself, and stays whole`() async throws {
    let body = RequestBody.oneShot(
      AsyncStream<[UInt8]> { continuation in
        continuation.yield(Array("once".utf8))
        continuation.finish()
      })
    let error = #expect(throws: LupineError.self) { try body.suffix(from: 1) }
    #expect(error?.kind == .bodyFailed)
    #expect(try await Self.read(body.suffix(from: 0)) == "once")
  }

  @Test func `no body has no suffix but itself`() throws {
    #expect(try RequestBody.none.suffix(from: 0).isNone)
    #expect(throws: LupineError.self) { try RequestBody.none.suffix(from: 1) }
  }

  @Test func `an error of the stream before the offset is the error`() async throws {
    struct Torn: Error {}
    let body = RequestBody.stream {
      AsyncThrowingStream<[UInt8], any Error> { continuation in
        continuation.yield([1])
        continuation.finish(throwing: Torn())
      }
    }
    let error = await #expect(throws: LupineError.self) { try await Self.read(body.suffix(from: 5)) }
    #expect(error?.underlying is Torn)
  }

  @Test func `a reader that is cancelled before its offset cancels its stream`() async throws {
    let ended = Flag()
    let body = RequestBody.stream {
      AsyncStream<[UInt8]> { continuation in
        continuation.onTermination = { _ in ended.raise() }
        continuation.yield([1])
      }
    }
    let reader = try body.suffix(from: 5).makeReader {}
    var buffer: [UInt8] = [0]
    #expect(try reader.read(into: &buffer) == .pending)
    reader.cancel()
    await ended.raised()
  }

  @Test(arguments: Kind.allCases) func `a session sends a suffix, and sends it again`(kind: Kind) async throws {
    let mock = MockTransport()
    mock.stub(.put, "/up", .sequence([.status(.serviceUnavailable), .text("received")]))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com").build()
    let body = try body(kind).suffix(from: 4)
    _ = try await session.upload(body, to: "up", method: .put).validate().retrier(.backoff(limit: 1))
      .serializingData().value
    #expect(mock.requests.map(\.body) == [Data("456789".utf8), Data("456789".utf8)])
  }
}
