import FoundationEssentials

/// A downloaded file to be awaited, or what is made of it.
///
/// Awaiting it starts the download, in the awaiting task itself; cancelling that task cancels the download.
public struct DownloadTask<Value: Sendable>: Sendable {
  private let task: RequestTask
  private let make: @Sendable (URL) throws -> Value

  init(_ task: RequestTask, _ make: @escaping @Sendable (URL) throws -> Value) {
    self.task = task
    self.make = make
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
    get async { await Self.make(DownloadResponse(await task.outcome()), make, task) }
  }

  /// Cancels the download.
  public func cancel() { task.cancel() }

  @concurrent
  private static func make(
    _ response: DownloadResponse<URL>, _ make: @Sendable (URL) throws -> Value, _ task: RequestTask
  ) async -> DownloadResponse<Value> {
    // The place of the file is no value that is made.
    guard Value.self != URL.self, response.fileURL != nil else { return response.tryMap(make) }
    let clock = task.session.clock
    let start = clock.now()
    let made = response.tryMap(make)
    if task.isObserved {
      task.emit(.serialized(into: "\(Value.self)", after: clock.now() - start, made.error))
    }
    return made
  }
}
