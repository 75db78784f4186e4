/// A request with a body of its own, whose response is gathered in memory and made into values.
public struct UploadRequest: ValueRequest {
  /// The execution that the copies share.
  public let handle: RequestHandle

  init(_ task: RequestExecution) { handle = RequestHandle(task: task) }
}
