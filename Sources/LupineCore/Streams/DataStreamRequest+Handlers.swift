public import Dispatch
public import FoundationEssentials

/// What a stream's handler is called with.
public enum StreamEvent: Sendable {
  /// The next bytes.
  case bytes(Data)
  /// The end; the error where the request failed. Nothing comes after it.
  case complete(LupineError?)
}

extension DataStreamRequest {
  /// Calls the handler with each piece as it arrives, and with the end; the next piece is taken when the call returns.
  ///
  /// The body has one consumer: either one handler or one sequence.
  ///
  /// - Parameter queue: where the handler is called; `nil` means off the caller's thread.
  @discardableResult
  public func responseStream(
    queue: DispatchQueue? = nil, handler: @escaping @Sendable (StreamEvent) -> Void
  ) -> Self {
    let stream = serializingBytes()
    Task(executorPreference: task.session.configuration.executor) {
      var error: LupineError?
      do throws(LupineError) {
        var pieces = stream.makeAsyncIterator()
        while let piece = try await pieces.next() {
          await Queueing.call(on: queue) { handler(.bytes(Data(piece))) }
        }
      } catch let failure {
        error = failure
      }
      let end = error
      await Queueing.call(on: queue) { handler(.complete(end)) }
    }
    return self
  }
}
