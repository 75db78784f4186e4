public import Dispatch
public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import LupineSession
import LupineSupport

/// Any number of handlers can be attached.
///
/// They are called in order, once the file is at its destination or the download has failed: on the `queue:`, or off the
/// caller's thread.
/// `serializingResponse(using:)` documents what serializers read and its limit.
extension DownloadRequest {
  /// Calls the handler with the file's URL, or with the error, which may carry `resumeData`.
  ///
  /// - Parameter queue: where the handler is called; `nil` means off the caller's thread.
  @discardableResult
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void
  ) -> Self {
    execution.addCompletionHandler { [consumer] execution, outcome in
      let response = DownloadResponse(outcome, consumer.file, in: execution.session)
      await Queueing.call(on: queue) { completionHandler(response) }
    }
    return self
  }

  /// Calls the handler with the serializer's value for the file, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func response<Serializer: ResponseSerializer>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DownloadResponse<Serializer.Output>) -> Void
  ) -> Self {
    execution.addCompletionHandler { [consumer] execution, outcome in
      let response = await DownloadResponse(outcome, consumer.file, of: execution, with: responseSerializer)
      await Queueing.call(on: queue) { completionHandler(response) }
    }
    return self
  }

  /// Calls the handler with the file's bytes, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responseData(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: defaults.dataSerializer, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as text, where `response(queue:completionHandler:)` does.
  ///
  /// - Parameter encoding: the text encoding; `nil` means the response's own, as `StringResponseSerializer` determines
  ///   it.
  @discardableResult
  public func responseString(
    queue: DispatchQueue? = nil, encoding: TextEncoding? = nil,
    completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
  ) -> Self {
    response(
      queue: queue, responseSerializer: defaults.stringSerializer(encoding: encoding),
      completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as JSON of any shape, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responseJSON(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<JSONValue>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: defaults.jsonSerializer, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as a property list, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responsePropertyList(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<PropertyListValue>) -> Void
  ) -> Self {
    response(
      queue: queue, responseSerializer: defaults.propertyListSerializer, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content decoded into a type, where `response(queue:completionHandler:)` does.
  ///
  /// - Parameters:
  ///   - decoder: what decodes the content; `nil` means the session's decoder, which is JSON by default.
  ///   - emptyResponseCodes: the statuses that may have no body, for which an `EmptyResponse` value such as `nil` is
  ///     made; `nil` means the session's, 204 and 205 by default.
  ///   - emptyRequestMethods: the methods whose responses may have no body; `nil` means the session's, HEAD by default.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, queue: DispatchQueue? = nil, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
  ) -> Self {
    let serializer = defaults.decodableSerializer(
      of: type, decoder: decoder, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
    return response(queue: queue, responseSerializer: serializer, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content decoded into a type, and decodes service errors as `Failure`.
  ///
  /// The handler is called where `response(queue:completionHandler:)` calls it.
  /// The service error is decoded from the body of a refused response; see `serializingDecodable(_:error:)`.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, queue: DispatchQueue? = nil,
    decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int>? = nil,
    emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
  ) -> Self {
    let serializer = defaults.decodableSerializer(
      of: type, error: error, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
      emptyRequestMethods: emptyRequestMethods)
    return response(queue: queue, responseSerializer: serializer, completionHandler: completionHandler)
  }
}
