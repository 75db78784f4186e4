import HTTPTypes
import Synchronization

/// Calls a handler with interim responses, one after the other, away from the transport's thread.
package final class InterimListener: Sendable {
  private let responses: AsyncStream<HTTPResponse>.Continuation
  private let calls: Task<Void, Never>

  init(executor: (any TaskExecutor)?, _ handler: @escaping @Sendable (HTTPResponse) async -> Void) {
    // Their number is bounded by the limit `informationalResponses`, for each connection.
    let (stream, continuation) = AsyncStream.makeStream(of: HTTPResponse.self)
    responses = continuation
    calls = Task(executorPreference: executor) {
      for await response in stream { await handler(response) }
    }
  }

  /// A request that is never started lets go of its listeners, whose tasks must not wait for ever.
  deinit { responses.finish() }

  func hear(_ response: HTTPResponse) { responses.yield(response) }

  /// Tells no more; the task ends when the handler has had every response.
  package func finish() -> Task<Void, Never> {
    responses.finish()
    return calls
  }
}
