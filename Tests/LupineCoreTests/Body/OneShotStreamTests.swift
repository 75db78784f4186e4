import FoundationEssentials
import LupineCore
import LupineSession
import LupineMock
import Testing

/// A stream that can be read once, across several attempts to send it.
@Suite struct OneShotStreamTests {
  private let body: RequestBody
  private let pieces: AsyncStream<[UInt8]>.Continuation

  init() {
    let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
    body = .oneShot(stream)
    self.pieces = pieces
  }

  /// Reads a body to its end, as a transport does.
  private static func text(_ body: RequestBody) async throws -> String {
    let (ready, onReady) = AsyncStream.makeStream(of: Void.self)
    let reader = try body.makeReader { onReady.yield() }
    var wake = ready.makeAsyncIterator()
    var bytes: [UInt8] = []
    while true {
      var buffer = [UInt8](repeating: 0, count: 8)
      switch try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }) {
      case .bytes(let count): bytes += buffer[..<count]
      case .pending: await wake.next()
      case .end: return String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  @Test(arguments: [false, true]) func `a sending that read nothing leaves it whole`(isCancelled: Bool) async throws {
    let reader = try body.makeReader {}
    if isCancelled { reader.cancel() }
    #expect(body.isRetryable)
    pieces.yield(Array("content".utf8))
    pieces.finish()
    #expect(try await Self.text(body) == "content")
    #expect(!body.isRetryable)
  }

  @Test func `a sending that read something has spent it`() async throws {
    pieces.yield(Array("content".utf8))
    pieces.finish()
    _ = try await Self.text(body)
    let error = #expect(throws: LupineError.self) { try body.makeReader {} }
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `a sending that was overtaken reads nothing of it`() async throws {
    let former = try body.makeReader {}
    async let text = Self.text(body)
    pieces.yield(Array("content".utf8))
    pieces.finish()
    #expect(try await text == "content")
    var buffer = [UInt8](repeating: 0, count: 8)
    let error = #expect(throws: LupineError.self) { try buffer.withUnsafeMutableBytes { try former.read(into: $0) } }
    #expect(error?.kind == .bodyFailed)
  }

  @Test func `a reader that waits is notified when a newer reader replaces it`() async throws {
    let (ready, onReady) = AsyncStream.makeStream(of: Void.self)
    let former = try body.makeReader { onReady.finish() }
    _ = try body.makeReader {}
    for await _ in ready {}
    former.cancel()
    #expect(body.isRetryable)
  }

  @Test func `bytes that went nowhere are the next sending's`() async throws {
    pieces.yield(Array("content".utf8))
    pieces.finish()
    body.restore(Data(try await Self.text(body).utf8))
    #expect(body.isRetryable)
    #expect(try await Self.text(body) == "content")
  }

  @Test func `a stream that will not be read is terminated at its source`() async throws {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    pieces.onTermination = { _ in end.finish() }
    _ = try body.makeReader {}
    body.abandon()
    for await _ in ended {}
    #expect(!body.isRetryable)
  }

  @Test func `a stream of which something was read is spent, though more of it is waited for`() async throws {
    let (ready, onReady) = AsyncStream.makeStream(of: Void.self)
    let reader = try body.makeReader { onReady.finish() }
    var buffer = [UInt8](repeating: 0, count: 8)
    var read = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(read == .pending)
    pieces.yield(Array("content".utf8))
    for await _ in ready {}
    read = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(read == .bytes(7))
    read = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(read == .pending)
    reader.cancel()
    #expect(!body.isRetryable)
  }

  @Test func `a stream whose request came to no connection is whole`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", .sequence([.fault(.connectionRefused), .text("welcome")]))
    let session = try Session.Builder().transport(mock).build()
    let refused = await session.upload(body, to: "https://example.com/").serializingData().response
    #expect(refused.error?.kind == .connectionRefused)
    pieces.yield(Array("content".utf8))
    pieces.finish()
    _ = try await session.upload(body, to: "https://example.com/").serializingData().value
    #expect(mock.requests.last?.body == Data("content".utf8))
  }

  @Test func `a released stream is terminated at its source, although one of its pieces is unread`() async throws {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let (ready, onReady) = AsyncStream.makeStream(of: Void.self)
    do {
      let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
      pieces.onTermination = { _ in end.finish() }
      let body = RequestBody.oneShot(stream)
      let reader = try body.makeReader { onReady.finish() }
      var buffer = [UInt8](repeating: 0, count: 8)
      #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == .pending)
      pieces.yield(Array("content".utf8))
      for await _ in ready {}
    }
    for await _ in ended {}
  }

  @Test func `another body that can be sent once is not sent again`() throws {
    let custom = RequestBody(length: 0, isReplayable: false) { (onReady) throws(LupineError) in
      try RequestBody.none.makeReader(onReady: onReady)
    }
    #expect(!custom.isRetryable)
  }
}
