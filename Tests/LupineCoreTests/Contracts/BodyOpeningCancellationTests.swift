import HTTPTypes
import Testing

@testable import LupineCore

/// The cancellation and the executor of an exchange while it opens a body.
@Suite(.timeLimit(.minutes(1))) struct BodyOpeningCancellationTests {
  /// A task executor that the tests only compare.
  private final class Executor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private static let empty = RequestBody.stream { AsyncStream<[UInt8]> { $0.finish() } }

  private static func context(
    _ control: ExchangeControl = ExchangeControl(), executor: (any TaskExecutor)? = nil
  ) -> TransferContext {
    TransferContext(id: RequestID(1), control: control, executor: executor) { _ in .collect(limit: 9) }
  }

  @Test func `the opening of a body keeps the handler that the transport has registered`() async throws {
    let context = Self.context()
    let cancellations = Notes<Void>()
    context.onCancel { cancellations.add(()) }
    _ = try await context.makeReader(for: Self.empty) {}
    context.control.cancel(LupineError(.cancelled, ""))
    #expect(cancellations.all.count == 1)
  }

  @Test func `a cancellation after the opening ends the body of a transport without a handler`() async throws {
    let context = Self.context()
    _ = try await context.makeReader(for: Self.empty) {}
    let (body, _) = context.makeBody(for: HTTPResponse(status: .ok)) {}
    context.control.cancel(LupineError(.timedOut(.total), ""))
    #expect(await #expect(throws: LupineError.self) { try await body.end() }?.kind == .timedOut(.total))
  }

  @Test(arguments: [false, true]) func `a reader that a transport drops cancels the body`(isQuiet: Bool) async throws {
    let cancellations = Notes<Void>()
    let body = RequestBody(length: nil, isReplayable: true) { (_) throws(LupineError) in
      NotingReader { cancellations.add(()) }
    }
    let context = Self.context()
    _ = try await context.makeReader(for: body, reportsReads: !isQuiet) {}
    #expect(!cancellations.all.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a cancellation ends the wait for the content of a response`(cancelsTask: Bool) async throws {
    let context = Self.context()
    let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    let gate = Gate()
    let content = RequestBody.stream {
      opening.finish()
      gate.wait()
      return AsyncStream<[UInt8]> { $0.finish() }
    }
    let response = Task { try await context.makeResponse(HTTPResponse(status: .ok), content: content) }
    for await _ in openings {}
    if cancelsTask { response.cancel() } else { context.control.cancel(LupineError(.timedOut(.total), "")) }
    let error = await #expect(throws: LupineError.self) { _ = try await response.value }
    #expect(error?.kind == (cancelsTask ? .cancelled : .timedOut(.total)))
    gate.signal()
  }

  @Test func `the content of a response is opened for tasks of the exchange's executor`() async throws {
    let executor = Executor()
    let seen = Notes<(any TaskExecutor)?>()
    let content = RequestBody.stream {
      seen.add(ExecutorPreference.current)
      return AsyncStream<[UInt8]> { $0.finish() }
    }
    _ = try await Self.context(executor: executor).makeResponse(HTTPResponse(status: .ok), content: content)
    #expect(seen.all.map { $0 === executor } == [true])
  }

  @Test func `a body that is read without a transport is opened for tasks of the caller's executor`() async throws {
    let executor = Executor()
    let seen = Notes<(any TaskExecutor)?>()
    let body = RequestBody.stream {
      seen.add(ExecutorPreference.current)
      return AsyncStream<[UInt8]> { $0.finish() }
    }
    try await ExecutorPreference.$current.withValue(executor) { try await body.drain { _ in } }
    #expect(seen.all.map { $0 === executor } == [true])
  }
}

/// A reader that calls a closure when it is cancelled.
private final class NotingReader: BodyReader {
  let length: Int64? = nil
  private let onCancel: @Sendable () -> Void

  init(_ onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead { .pending }

  func cancel() { onCancel() }
}
