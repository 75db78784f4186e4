/// A request whose response is gathered in memory and made into values.
///
/// Any number of handlers can be attached; they are called in order, after the response has arrived and been validated.
/// The same response can be awaited as well, any number of times.
public protocol ValueRequest: SessionRequest {}

/// A request whose response is gathered in memory and made into values.
///
/// Any number of handlers can be attached; they are called in order, after the response has arrived and been validated.
/// The same response can be awaited as well, any number of times.
public struct DataRequest: ValueRequest {
  /// The execution that the copies share.
  public let handle: RequestHandle

  init(_ task: RequestExecution) { handle = RequestHandle(task: task) }
}

/// A request with a body of its own, whose response is gathered in memory and made into values.
public struct UploadRequest: ValueRequest {
  /// The execution that the copies share.
  public let handle: RequestHandle

  init(_ task: RequestExecution) { handle = RequestHandle(task: task) }
}
