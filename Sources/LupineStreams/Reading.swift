import LupineCore
import LupineSession
import Synchronization

/// One reading of a stream; letting go of it before the end cancels the request.
final class Reading: Sendable {
  private let task: RequestExecution
  private let consumer: StreamConsumer
  /// The body, from the first piece on.
  private let body = Mutex<ResponseBody?>(nil)
  /// Whether the body has come to its end; the request ends by itself then, and must not count as cancelled.
  private let isOver = Atomic<Bool>(false)

  init(_ task: RequestExecution, _ consumer: StreamConsumer) {
    self.task = task
    self.consumer = consumer
  }

  deinit {
    if isOver.load(ordering: .relaxed) { return }
    task.cancel()
    taken()?.abandon()
  }

  func next() async throws(LupineError) -> [UInt8]? {
    task.startForStream()
    let result = await withTaskCancellationHandler {
      await piece()
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }

  /// Ends the request with what its reader found wrong with the body.
  func end(with error: LupineError) async -> LupineError { await task.end(with: error) }

  private func piece() async -> Result<[UInt8]?, LupineError> {
    if case .failure(let error) = await consumer.opening() { return .failure(error) }
    do throws(LupineError) {
      if let piece = try await taken()?.next() { return .success(piece) }
      isOver.store(true, ordering: .relaxed)
      return .success(nil)
    } catch {
      // The transport says that it was cancelled; the request's own outcome says why.
      return .failure(await task.outcome().error ?? error)
    }
  }

  /// The body, taken over from the consumer the first time.
  private func taken() -> ResponseBody? {
    body.withLock { body in
      if body == nil { body = consumer.takeBody() }
      return body
    }
  }
}
