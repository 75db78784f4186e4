public import LupineSession

/// A request whose response is written to a file.
public struct DownloadRequest: SessionRequest {
  /// The execution that the copies share.
  public let handle: RequestHandle
  let consumer: DownloadConsumer

  init(_ task: RequestExecution, _ consumer: DownloadConsumer) {
    handle = RequestHandle(task: task)
    self.consumer = consumer
  }
}
