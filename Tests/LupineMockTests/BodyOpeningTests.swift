import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineSupport
import Synchronization
import Testing

/// Bodies whose opening waits for code of the program, or for a free thread.
@Suite struct BodyOpeningTests {
  private let mock = MockTransport()
  /// Blocks the threads of `BlockingWork` until the test signals the gate.
  private let gate = Gate()

  init() { mock.stub(.post, "https://example.com/", .status(.ok)) }

  @Test(.timeLimit(.minutes(1)))
  func `the shutdown of a mock ends an exchange whose body is being opened`() async throws {
    let session = try Session.Builder().transport(mock).build()
    let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    let request = session.upload(
      .stream { [gate] in
        opening.yield()
        gate.wait()
        return AsyncStream<[UInt8]> { $0.finish() }
      }, to: "https://example.com/")
    async let error = request.serializingData().response.error
    for await _ in openings { break }
    await mock.shutdown()
    #expect(await error?.kind == .sessionShutDown)
    gate.signal()
  }

  @Test(.timeLimit(.minutes(1)))
  func `a body whose exchange is cancelled before a thread opens it is never opened`() async throws {
    // The maximum number of concurrent operations of `BlockingWork`; the body waits until one of them ends.
    let threads = 64
    for _ in 0..<threads { BlockingWork.start { [gate] in gate.wait() } }
    let openings = Mutex(0)
    let body = RequestBody.stream {
      openings.withLock { $0 += 1 }
      return AsyncStream<[UInt8]> { $0.finish() }
    }
    let context = TransferContext(id: RequestID(1)) { _ in .discard(limit: 1) }
    // The task runs up to its wait for a thread.
    let opening = Task.immediate { () throws -> Void in _ = try await context.makeReader(for: body) {} }
    opening.cancel()
    let error = await #expect(throws: LupineError.self) { try await opening.value }
    #expect(error?.kind == .cancelled)
    for _ in 0..<threads { gate.signal() }
    // The threads run operations in order, so that the turn of the body has passed when these operations end.
    for _ in 0..<threads { await BlockingWork.run {} }
    #expect(openings.withLock { $0 } == 0)
  }
}

/// A semaphore for closures that must be `Sendable`.
private final class Gate: Sendable {
  private let semaphore = Semaphore()

  func wait() { semaphore.wait() }
  func signal() { semaphore.signal() }
}
