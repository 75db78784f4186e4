import LupineCore
import LupineSession
import Synchronization

/// One iteration of a stream; its release before the end cancels the request.
final class Reading: Sendable {
  private let task: RequestExecution
  private let consumer: StreamConsumer
  /// The body; set when the first piece is read.
  private let body = Mutex<ResponseBody?>(nil)
  /// Whether the body has ended; the request then ends by itself and must not be cancelled.
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

  /// Ends the request because its body is invalid.
  func end(with error: LupineError) async -> LupineError { await task.end(with: error) }

  private func piece() async -> Result<[UInt8]?, LupineError> {
    if case .failure(let error) = await consumer.opening() { return .failure(error) }
    do throws(LupineError) {
      if let piece = try await taken()?.next() { return .success(piece) }
      isOver.store(true, ordering: .relaxed)
      return .success(nil)
    } catch {
      // The transport reports only `cancelled`; the request's outcome has the reason.
      return .failure(await task.outcome().error ?? error)
    }
  }

  /// Returns the body; the first call takes it from the consumer.
  private func taken() -> ResponseBody? {
    body.withLock { body in
      if body == nil { body = consumer.takeBody() }
      return body
    }
  }
}
