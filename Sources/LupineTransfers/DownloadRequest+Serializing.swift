public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import LupineSession

/// Serializers read the file into memory, up to `Limits.responseBody`; a larger one fails with kind `limitExceeded`. The
/// file stays where it is, whatever they make of it; where no destination was named, it is a temporary file, of which the
/// response's `fileURL` tells.
extension DownloadRequest {
  /// The file's place, to be awaited.
  public func serializingFile() -> DownloadTask<URL> { DownloadTask(task) }

  /// What a serializer makes of the file, to be awaited.
  public func serializingResponse<Serializer: ResponseSerializer>(
    using serializer: Serializer
  ) -> DownloadTask<Serializer.Output> {
    DownloadTask(task, SessionBoundSerializer(serializer, defaults))
  }

  /// The file's bytes, to be awaited.
  public func serializingData() -> DownloadTask<Data> { serializingResponse(using: defaults.data) }

  /// The file's content as text, to be awaited.
  ///
  /// - Parameter encoding: its encoding; `nil` means the response's own, as `StringResponseSerializer` finds it.
  public func serializingString(encoding: TextEncoding? = nil) -> DownloadTask<String> {
    serializingResponse(using: defaults.string(encoding))
  }

  /// The file's content as JSON of any shape, to be awaited.
  public func serializingJSON() -> DownloadTask<JSONValue> { serializingResponse(using: defaults.json) }

  /// The file's content as a property list of any shape, to be awaited.
  public func serializingPropertyList() -> DownloadTask<PropertyListValue> {
    serializingResponse(using: defaults.propertyList)
  }

  /// The file's content decoded into a type, to be awaited.
  ///
  /// - Parameters:
  ///   - decoder: what decodes it; `nil` means the session's, JSON unless told otherwise.
  ///   - emptyResponseCodes: the statuses that may be without a body, of which an `EmptyResponse` such as an optional is
  ///     made; `nil` means the session's, 204 and 205 unless told otherwise.
  ///   - emptyRequestMethods: the methods whose responses may be without one; `nil` means the session's, HEAD unless told
  ///     otherwise.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DownloadTask<Value> {
    serializingResponse(using: defaults.decodable(type, decoder, emptyResponseCodes, emptyRequestMethods))
  }

  /// The same, with the error that the service describes in the body of a response that is refused.
  ///
  /// Where a validator refuses the response, or its body is no `Value`, the body is decoded as `Failure`, with the same
  /// decoder. The `LupineError` that is thrown is the refusal; its `serviceError(as:)` is the service's error, and so is its
  /// `underlying` where nothing else is. A body that is no `Failure`, or that `Limits.errorBody` has cut, leaves the refusal
  /// as it is.
  public func serializingDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    _ type: Value.Type = Value.self, error: Failure.Type, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DownloadTask<Value> {
    DownloadTask(task, defaults.decodable(type, error, decoder, emptyResponseCodes, emptyRequestMethods))
  }

  var defaults: DecodingDefaults { task.session.decodingDefaults }
}
