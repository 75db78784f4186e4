public import LupineCore

/// A value to be awaited: a request and the serializer of its response.
///
/// Awaiting it starts the request, in the awaiting task itself; cancelling that task cancels the request.
public struct DataTask<Value: Sendable>: Sendable {
  private let task: RequestExecution
  private let serializer: any ResponseSerializer<Value>

  init(_ task: RequestExecution, _ serializer: any ResponseSerializer<Value>) {
    self.task = task
    self.serializer = serializer
  }

  /// The value.
  ///
  /// - Throws: `LupineError`, as the request, a validator or the serializer failed.
  public var value: Value {
    get async throws(LupineError) {
      do {
        return try await task.withOutcome { try Serialization.value(from: $0, with: serializer, of: task) }
      } catch {
        throw Serialization.wrapped(error)
      }
    }
  }

  /// The value or the error.
  public var result: Result<Value, LupineError> {
    get async { await response.result }
  }

  /// The response with all that is known of it.
  public var response: DataResponse<Value> {
    get async { await Serialization.response(from: await task.outcome(), with: serializer, of: task) }
  }

  /// Cancels the request.
  public func cancel() { task.cancel() }
}
