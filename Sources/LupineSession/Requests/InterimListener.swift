import HTTPTypes

/// Calls a handler with interim responses, in order, off the transport's thread.
final class InterimListener: Sendable {
  private let responses: AsyncStream<HTTPResponse>.Continuation
  private let calls: Task<Void, Never>

  init(executor: (any TaskExecutor)?, _ handler: @escaping @Sendable (HTTPResponse) async -> Void) {
    // The limit `informationalResponses` bounds their number for each connection.
    let (stream, continuation) = AsyncStream.makeStream(of: HTTPResponse.self)
    responses = continuation
    calls = Task(executorPreference: executor) {
      for await response in stream { await handler(response) }
    }
  }

  /// Ends the task of the handler if the request is released without being started.
  deinit { responses.finish() }

  func receive(_ response: HTTPResponse) { responses.yield(response) }

  /// Accepts no more responses; the returned task ends when the handler has received all of them.
  func finish() -> Task<Void, Never> {
    responses.finish()
    return calls
  }
}
