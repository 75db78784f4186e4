import Foundation
import Glibc
import LupineFixtures
import Synchronization
import Testing

@testable import LupineCore

@Suite struct BodyTests {
  /// Reads a body to its end through a buffer of `bufferSize` bytes.
  private static func read(_ body: RequestBody, bufferSize: Int = 4) async throws -> [UInt8] {
    let ready = Mutex(Flag())
    let reader = try body.makeReader { ready.withLock { $0 }.raise() }
    var result: [UInt8] = []
    while true {
      let flag = Flag()
      ready.withLock { $0 = flag }
      var buffer = [UInt8](repeating: 0, count: bufferSize)
      let read = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      switch read {
      case .bytes(let count): result += buffer[..<count]
      case .pending: await flag.raised()
      case .end: return result
      }
    }
  }

  private static func stream(_ pieces: [String]) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      for piece in pieces { continuation.yield(Array(piece.utf8)) }
      continuation.finish()
    }
  }

  @Test(arguments: [RequestBody.text("hello world"), .bytes(Array("hello world".utf8))])
  func `bytes can be read any number of times`(body: RequestBody) async throws {
    #expect(try await Self.read(body) == Array("hello world".utf8))
    #expect(try await Self.read(body, bufferSize: 100) == Array("hello world".utf8))
    #expect(body.isReplayable)
    #expect(body.length == 11)
  }

  @Test func `a closure makes a new stream for each sending`() async throws {
    let body = RequestBody.stream { Self.stream(["hello", "", " ", "world"]) }
    for _ in 0..<2 { #expect(try await Self.read(body) == Array("hello world".utf8)) }
    #expect(body.isReplayable)
  }

  @Test func `a one-shot stream is read once`() async throws {
    let body = RequestBody.oneShot(Self.stream(["hello"]))
    #expect(!body.isReplayable)
    #expect(try await Self.read(body) == Array("hello".utf8))
    let error = await #expect(throws: LupineError.self) { try await Self.read(body) }
    #expect(error?.kind == .bodyFailed)
  }

  @Test(arguments: [3, 9])
  func `a stream of another length than it stated fails`(length: Int64) async throws {
    let body = RequestBody.stream(length: length) { Self.stream(["hello"]) }
    let error = await #expect(throws: LupineError.self) { try await Self.read(body, bufferSize: 100) }
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `an error of the stream ends the reading`() async throws {
    struct Torn: Error {}
    let body = RequestBody.stream {
      AsyncThrowingStream<[UInt8], any Error> { continuation in
        continuation.yield([1])
        continuation.finish(throwing: Torn())
      }
    }
    let error = await #expect(throws: LupineError.self) { try await Self.read(body) }
    #expect(error?.underlying is Torn)
  }

  @Test func `a reader that is cancelled cancels its stream`() async throws {
    let ended = Flag()
    let body = RequestBody.stream {
      AsyncStream<[UInt8]> { continuation in
        continuation.onTermination = { _ in ended.raise() }
        continuation.yield([1])
      }
    }
    let reader = try body.makeReader {}
    reader.cancel()
    await ended.raised()
  }

  @Test func `a file is read from its offset, as far as asked`() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try await Self.read(.file(path)) == Array("0123456789".utf8))
    #expect(try await Self.read(.file(path, offset: 3, length: 4)) == Array("3456".utf8))
    #expect(throws: LupineError.self) { try RequestBody.file(path, offset: 8, length: 4).makeReader {} }
    for (offset, length) in [(11, nil), (-1, nil), (.min, nil), (.min, .max), (.max, .min), (0, -1)]
      as [(Int64, Int64?)]
    {
      let error = #expect(throws: LupineError.self) {
        try RequestBody.file(path, offset: offset, length: length).makeReader {}
      }
      #expect(error?.kind == .bodyFailed)
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a named pipe is an error that hangs nothing`() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    let error = #expect(throws: LupineError.self) { try RequestBody.file(folder.file("pipe")).makeReader {} }
    #expect(error?.kind == .bodyFailed)
    #expect(error?.message.contains("not a regular file") == true)
  }

  @Test func `a path with a NUL is an error, and no other file`() throws {
    let folder = try TemporaryFolder()
    try folder.write("report", to: "report")
    let error = #expect(throws: LupineError.self) { try RequestBody.file(folder.file("report\0.txt")).makeReader {} }
    #expect(error?.kind == .bodyFailed)
    #expect(error?.message.contains("NUL") == true)
  }

  @Test(arguments: ["/nowhere/at/all", "/"])
  func `a path that is no regular file is an error that names it`(path: String) throws {
    let error = #expect(throws: LupineError.self) { try RequestBody.file(path).makeReader {} }
    #expect(error?.kind == .bodyFailed)
    #expect(error?.message.contains(path) == true)
  }
}
