public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation
import LupineSession

/// Serializers read the file into memory, up to `Limits.responseBody`; a larger file fails with kind `limitExceeded`.
///
/// The file stays at its place, whatever the serializer returns. Without a destination it is a temporary file, and the
/// response's `fileURL` has its location.
extension DownloadRequest {
  /// Returns a task for the file's URL.
  public func serializingFile() -> DownloadTask<URL> {
    DownloadTask(execution) { [consumer] execution in
      DownloadResponse(await execution.outcome(), consumer.file, in: execution.session)
    }
  }

  /// Returns a task for the serializer's value.
  public func serializingResponse<Serializer: ResponseSerializer>(
    using serializer: Serializer
  ) -> DownloadTask<Serializer.Output> {
    serializing(serializer)
  }

  /// Returns a task for the value of a closure.
  public func serializingResponse<Output>(
    using serializer: ClosureResponseSerializer<Output>
  ) -> DownloadTask<Output> {
    serializing(serializer)
  }

  private func serializing<Serializer: ResponseSerializer>(
    _ serializer: Serializer
  ) -> DownloadTask<Serializer.Output> {
    DownloadTask(execution) { [consumer] execution in
      let serialization = execution.addSerializer(serializer)
      return await DownloadResponse(await execution.outcome(), consumer, serialization, in: execution)
    }
  }

  /// Returns a task for the file's bytes.
  public func serializingData() -> DownloadTask<Data> { serializingResponse(using: defaults.dataSerializer) }

  /// Returns a task for the file's content as text.
  ///
  /// - Parameter encoding: the text encoding; `nil` means the response's own, as `StringResponseSerializer` determines
  ///   it.
  public func serializingString(encoding: TextEncoding? = nil) -> DownloadTask<String> {
    serializingResponse(using: defaults.stringSerializer(encoding: encoding))
  }

  /// Returns a task for the file's content as JSON of any shape.
  public func serializingJSON() -> DownloadTask<JSONValue> { serializingResponse(using: defaults.jsonSerializer) }

  /// Returns a task for the file's content as a property list of any shape.
  public func serializingPropertyList() -> DownloadTask<PropertyListValue> {
    serializingResponse(using: defaults.propertyListSerializer)
  }

  /// Returns a task for the file's content decoded into a type.
  ///
  /// - Parameters:
  ///   - decoder: what decodes the content; `nil` means the session's decoder, which is JSON by default.
  ///   - emptyResponseCodes: the statuses that may have no body, for which an `EmptyResponse` value such as `nil` is
  ///     made; `nil` means the session's, 204 and 205 by default.
  ///   - emptyRequestMethods: the methods whose responses may have no body; `nil` means the session's, HEAD by default.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DownloadTask<Value> {
    serializingResponse(
      using: defaults.decodableSerializer(
        of: type, decoder: decoder, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods))
  }

  /// Returns a task for the file's content decoded into a type, with service errors decoded as `Failure`.
  ///
  /// If a validator refuses the response, or its body is no `Value`, the body is decoded as `Failure` with the same
  /// decoder. The thrown `LupineError` describes the refusal. Its `serviceError(as:)` returns the service error, and so
  /// does its `underlying` if it is not set otherwise. The refusal is unchanged if the body is no `Failure` or is cut
  /// by `Limits.errorBody`.
  public func serializingDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    _ type: Value.Type = Value.self, error: Failure.Type, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DownloadTask<Value> {
    serializingResponse(
      using: defaults.decodableSerializer(
        of: type, error: error, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
        emptyRequestMethods: emptyRequestMethods))
  }

  var defaults: DecodingDefaults { execution.session.decodingDefaults }
}

/// The pending result of a download: the file, or the value of a serializer.
///
/// Awaiting the result starts the download in the awaiting task. Cancelling that task cancels the download.
public struct DownloadTask<Value: Sendable>: Sendable {
  private let execution: RequestExecution
  private let respond: @Sendable (RequestExecution) async -> DownloadResponse<Value>

  init(
    _ execution: RequestExecution, _ respond: @escaping @Sendable (RequestExecution) async -> DownloadResponse<Value>
  ) {
    self.execution = execution
    self.respond = respond
  }

  /// The value.
  ///
  /// - Throws: `LupineError`; for an interrupted download that the server can resume, it carries `resumeData`.
  public var value: Value {
    get async throws(LupineError) { try await response.result.get() }
  }

  /// The value or the error.
  public var result: Result<Value, LupineError> {
    get async { await response.result }
  }

  /// The response with the request, the metrics and the result.
  public var response: DownloadResponse<Value> {
    get async { await respond(execution) }
  }

  /// Cancels the download.
  public func cancel() { execution.cancel() }
}
