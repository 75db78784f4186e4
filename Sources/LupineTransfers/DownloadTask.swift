import FoundationEssentials
public import LupineCore
import LupineSession

/// A downloaded file to be awaited, or what is made of it.
///
/// Awaiting it starts the download, in the awaiting task itself; cancelling that task cancels the download.
public struct DownloadTask<Value: Sendable>: Sendable {
  private let task: RequestExecution
  private let conclude: @Sendable (Outcome) async -> DownloadResponse<Value>

  init(_ task: RequestExecution, _ serializer: any ResponseSerializer<Value>) {
    self.task = task
    conclude = { await Serialization.fileResponse(from: $0, with: serializer, of: task) }
  }

  /// The value.
  ///
  /// - Throws: `LupineError`; of an interrupted download it carries `resumeData` where the server lets it be continued.
  public var value: Value {
    get async throws(LupineError) { try await response.result.get() }
  }

  /// The value or the error.
  public var result: Result<Value, LupineError> {
    get async { await response.result }
  }

  /// The response with all that is known of it.
  public var response: DownloadResponse<Value> {
    get async { await conclude(await task.outcome()) }
  }

  /// Cancels the download.
  public func cancel() { task.cancel() }
}

extension DownloadTask where Value == URL {
  /// The file's place, of which nothing is made.
  init(_ task: RequestExecution) {
    self.task = task
    conclude = { DownloadResponse($0, of: task) }
  }
}
