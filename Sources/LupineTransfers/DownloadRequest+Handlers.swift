public import Dispatch
public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import LupineSession
import LupineSupport

/// Any number of handlers can be attached.
///
/// They are called in order, once the file is at its destination or the download has failed.
/// `serializingResponse(using:)` documents what serializers read and its limit.
extension DownloadRequest {
  /// Calls the handler with the file's URL, or with the error, which may carry `resumeData`.
  ///
  /// - Parameter queue: where the handler is called; `nil` means off the caller's thread.
  @discardableResult
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void
  ) -> Self {
    task.add { task, outcome in
      let response = DownloadResponse(outcome, of: task)
      await Queueing.call(on: queue) { completionHandler(response) }
    }
    return self
  }

  /// Calls the handler with the serializer's value for the file.
  @discardableResult
  public func response<Serializer: ResponseSerializer>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DownloadResponse<Serializer.Output>) -> Void
  ) -> Self {
    handle(queue, SessionBoundSerializer(responseSerializer, defaults), completionHandler)
  }

  private func handle<Serializer: ResponseSerializer>(
    _ queue: DispatchQueue?, _ serializer: Serializer,
    _ handler: @escaping @Sendable (DownloadResponse<Serializer.Output>) -> Void
  ) -> Self {
    task.add { task, outcome in
      let response = await Serialization.fileResponse(from: outcome, with: serializer, of: task)
      await Queueing.call(on: queue) { handler(response) }
    }
    return self
  }

  /// Calls the handler with the file's bytes.
  @discardableResult
  public func responseData(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: defaults.data, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as text.
  ///
  /// - Parameter encoding: the text encoding; `nil` means the response's own, as `StringResponseSerializer` determines
  ///   it.
  @discardableResult
  public func responseString(
    queue: DispatchQueue? = nil, encoding: TextEncoding? = nil,
    completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: defaults.string(encoding), completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as JSON of any shape.
  @discardableResult
  public func responseJSON(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<JSONValue>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: defaults.json, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as a property list of any shape.
  @discardableResult
  public func responsePropertyList(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<PropertyListValue>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: defaults.propertyList, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content decoded into a type.
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
    response(
      queue: queue, responseSerializer: defaults.decodable(type, decoder, emptyResponseCodes, emptyRequestMethods),
      completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content decoded into a type, and decodes service errors as `Failure`.
  ///
  /// The service error is decoded from the body of a refused response; see `serializingDecodable(_:error:)`.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, queue: DispatchQueue? = nil,
    decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int>? = nil,
    emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
  ) -> Self {
    handle(
      queue, defaults.decodable(type, error, decoder, emptyResponseCodes, emptyRequestMethods), completionHandler)
  }
}
