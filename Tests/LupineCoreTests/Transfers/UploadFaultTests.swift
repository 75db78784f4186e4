import Foundation
import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineMock
import Testing

@Suite struct UploadFaultTests: TransferSuite {
  private struct Failure: Error {}

  let bench: TransferBench

  init() throws {
    bench = try TransferBench()
    mock.stub(.post, "https://example.com/", .text("received"))
  }

  private func send(_ body: RequestBody) async -> LupineError? {
    await session.upload(body, to: "https://example.com/").serializingString().response.error
  }

  @Test func `a file that has vanished is an error that names it`() async throws {
    let error = await send(.file(folder.file("gone")))
    #expect(error?.kind == .bodyFailed)
    #expect(error?.message.contains("gone") == true)
  }

  @Test func `a file that vanishes before a retry is an error`() async throws {
    try folder.write("content", to: "a")
    let path = folder.file("a")
    let request = session.upload(.file(path), to: "https://example.com/busy").retrier(.backoff(limit: 1))
    mock.stub(.post, "https://example.com/busy") { _ in
      try FileManager.default.removeItem(atPath: path)
      return .failure(.connectionRefused)
    }
    let error = await request.adapter(IdempotencyAdapter()).serializingString().response.error
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `a file that shrinks while it is sent is an error`() async throws {
    try folder.write("", to: "a")
    // The file takes no space on the disk, and is longer than any memory, so that no reader has read all of it.
    #expect(truncate(folder.file("a"), 1 << 40) == 0)
    let reader = try AsyncBodyReader(RequestBody.file(folder.file("a")).makeReader)
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { space.deallocate() }
    #expect(try await reader.read(into: space) == 100)
    #expect(truncate(folder.file("a"), 100) == 0)
    let error = await #expect(throws: LupineError.self) {
      while try await reader.read(into: space) != nil {}
    }
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `a part after the end of a file is an error`() async throws {
    try folder.write("short", to: "a")
    #expect(await send(.file(folder.file("a"), offset: 3, length: 3))?.kind == .bodyFailed)
    #expect(await send(.file(folder.path))?.kind == .bodyFailed)
  }

  @Test(arguments: [Int64?.none, 100])
  func `a stream that throws half-way is an error with what it threw`(length: Int64?) async throws {
    let error = await send(
      .stream(length: length) {
        AsyncThrowingStream<[UInt8], any Error> { continuation in
          continuation.yield([1, 2, 3])
          continuation.finish(throwing: Failure())
        }
      })
    #expect(error?.kind == .bodyFailed)
    #expect(error?.underlying is Failure)
  }

  @Test(arguments: [2, 4])
  func `a stream with a wrong stated length is an error`(length: Int64) async throws {
    let error = await send(
      .stream(length: length) {
        AsyncStream<[UInt8]> { continuation in
          continuation.yield([1, 2, 3])
          continuation.finish()
        }
      })
    #expect(error?.kind == .bodyFailed)
  }

  @Test(arguments: [true, false])
  func `a stream of a closure is sent again, and a one-shot stream is not`(isReplayable: Bool) async throws {
    mock.stub(.put, "https://example.com/", .sequence([.failure(.connectionRefused), .text("received")]))
    let make: @Sendable () -> AsyncStream<[UInt8]> = {
      AsyncStream { continuation in
        continuation.yield([1, 2, 3])
        continuation.finish()
      }
    }
    let body: RequestBody = isReplayable ? .stream(make) : .oneShot(make())
    let response = await session.upload(body, to: "https://example.com/", method: .put).retrier(.backoff(limit: 1))
      .serializingString().response
    #expect((response.value == "received") == isReplayable)
    #expect(mock.requests.count == (isReplayable ? 2 : 1))
  }
}

/// Marks each request as idempotent.
private struct IdempotencyAdapter: RequestAdapter {
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    var request = request
    request.options.isIdempotent = true
    return request
  }
}
