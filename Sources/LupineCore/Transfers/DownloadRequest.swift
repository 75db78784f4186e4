public import Dispatch
public import FoundationEssentials

/// A request whose response is written to a file.
public struct DownloadRequest: SessionRequest {
  /// The execution that the copies share.
  public let handle: RequestHandle
  let consumer: DownloadConsumer

  init(_ task: RequestTask, _ consumer: DownloadConsumer) {
    handle = RequestHandle(task: task)
    self.consumer = consumer
  }
}

extension DownloadRequest {
  /// Calls the handler with the file's place, or with the error, which may carry `resumeData`.
  ///
  /// - Parameter queue: where the handler is called; `nil` means off the caller's thread.
  @discardableResult
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void
  ) -> Self {
    task.add { _, outcome in
      let response = DownloadResponse(outcome)
      await Queueing.call(on: queue) { completionHandler(response) }
    }
    return self
  }

  /// The file's place, to be awaited.
  public func serializingFile() -> DownloadTask<URL> { DownloadTask(task) { $0 } }

  /// The file's bytes, to be awaited; the file stays.
  public func serializingData() -> DownloadTask<Data> {
    DownloadTask(task) { try Data(contentsOf: $0) }
  }

  /// The file's content decoded into a type, to be awaited; the file stays.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil
  ) -> DownloadTask<Value> {
    let decoder = decoder ?? task.session.configuration.serializers.decoder
    return DownloadTask(task) { try decoder.decode(type, from: Data(contentsOf: $0)) }
  }
}
