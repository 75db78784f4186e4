import FoundationEssentials
public import LupineCore
import LupineSession

/// The pending result of a download: the file, or the value of a serializer.
///
/// Awaiting the result starts the download in the awaiting task. Cancelling that task cancels the download.
public struct DownloadTask<Value: Sendable>: Sendable {
  private let task: RequestExecution
  private let conclude: @Sendable (Outcome) async -> DownloadResponse<Value>

  init(_ task: RequestExecution, _ serializer: any ResponseSerializer<Value>) {
    self.task = task
    conclude = { await Serialization.fileResponse(from: $0, with: serializer, of: task) }
  }

  /// The value.
  ///
  /// - Throws: `LupineError`; for an interrupted download that the server can resume, it carries `resumeData`.
  public var value: Value {
    get async throws(LupineError) { try await response.result.get() }
  }

  /// The value or the error.
  public var result: Result<Value, LupineError> {
    get async { await response.result }
  }

  /// The response with the request, the metrics and the result.
  public var response: DownloadResponse<Value> {
    get async { await conclude(await task.outcome()) }
  }

  /// Cancels the download.
  public func cancel() { task.cancel() }
}

extension DownloadTask where Value == URL {
  /// Creates a task for the file's URL, without a serializer.
  init(_ task: RequestExecution) {
    self.task = task
    conclude = { DownloadResponse($0, of: task) }
  }
}
