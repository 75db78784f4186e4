public import LupineCore

/// A request and the serializer of its response; await `value`, `result` or `response` for the result.
///
/// The request starts at the first `await` and runs in the awaiting task. Cancelling that task cancels the request.
public struct DataTask<Value: Sendable>: Sendable {
  private let task: RequestExecution
  private let serializer: any ResponseSerializer<Value>

  init(_ task: RequestExecution, _ serializer: any ResponseSerializer<Value>) {
    self.task = task
    self.serializer = serializer
  }

  /// The serialized value.
  ///
  /// - Throws: `LupineError` if the request, a validator or the serializer fails.
  public var value: Value {
    get async throws(LupineError) {
      do {
        return try await task.withOutcome { try Serialization.value(from: $0, with: serializer, of: task) }
      } catch {
        throw Serialization.wrapped(error)
      }
    }
  }

  /// The serialized value or the error.
  public var result: Result<Value, LupineError> {
    get async { await response.result }
  }

  /// The response with its metadata and the serialized result.
  public var response: DataResponse<Value> {
    get async { await Serialization.response(from: await task.outcome(), with: serializer, of: task) }
  }

  /// Cancels the request.
  public func cancel() { task.cancel() }
}
