import HTTPTypes
import LupineCore
import LupineSession
import Synchronization

/// One iteration of a stream; its release before the end cancels the request.
final class Reading: Sendable {
  private let execution: RequestExecution
  private let response: StreamedResponse
  /// Whether the response is one of several; the stream then throws the error of its attempt, not of the request.
  private let isConnection: Bool
  /// The body; set when the first piece is read.
  private let body = Mutex<ResponseBody?>(nil)
  /// Whether the body has ended; the request then ends by itself and must not be cancelled.
  private let isOver = Atomic<Bool>(false)

  init(_ execution: RequestExecution, _ response: StreamedResponse, isConnection: Bool = false) {
    self.execution = execution
    self.response = response
    self.isConnection = isConnection
  }

  deinit {
    if isOver.load(ordering: .relaxed) { return }
    // The iteration of the events ends their request.
    if !isConnection { execution.cancel() }
    taken()?.abandon()
  }

  func next() async throws(LupineError) -> [UInt8]? {
    execution.start()
    let result = await withTaskCancellationHandler {
      await piece()
    } onCancel: {
      execution.cancel()
    }
    return try result.get()
  }

  /// The `Content-Type` field of the response; an empty text if there is none.
  var contentType: String { response.head?.headerFields[.contentType] ?? "" }

  /// Ends the request because its body is invalid.
  func end(with error: LupineError) async -> LupineError { await execution.end(with: error) }

  private func piece() async -> Result<[UInt8]?, LupineError> {
    if case .failure(let error) = await response.opening() { return .failure(error) }
    do throws(LupineError) {
      if let piece = try await taken()?.next() { return .success(piece) }
      isOver.store(true, ordering: .relaxed)
      return .success(nil)
    } catch {
      isOver.store(true, ordering: .relaxed)
      // The transport reports only `cancelled`; the attempt or the request has the reason.
      let reason = isConnection ? await response.ended() : await execution.outcome().error
      return .failure(reason ?? error)
    }
  }

  /// Returns the body; the first call takes it from the response.
  private func taken() -> ResponseBody? {
    body.withLock { body in
      if body == nil { body = response.takeBody() }
      return body
    }
  }
}
