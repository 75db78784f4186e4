/// A request that stores its response in memory and serializes it to values.
///
/// Any number of handlers can be added. They are called in order, after the response has arrived and been validated.
/// The same response can also be awaited any number of times.
public protocol ValueRequest: SessionRequest {}

/// A request that stores its response in memory and serializes it to values.
///
/// Any number of handlers can be added. They are called in order, after the response has arrived and been validated.
/// The same response can also be awaited any number of times.
public struct DataRequest: ValueRequest {
  /// The execution, which all copies share.
  public let handle: RequestHandle

  init(_ task: RequestExecution) { handle = RequestHandle(task: task) }
}

/// A request with its own body, which stores its response in memory and serializes it to values.
public struct UploadRequest: ValueRequest {
  /// The execution, which all copies share.
  public let handle: RequestHandle

  init(_ task: RequestExecution) { handle = RequestHandle(task: task) }
}
