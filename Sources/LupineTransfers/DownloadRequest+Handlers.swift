public import Dispatch
public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import LupineSession
import LupineSupport

/// Any number of handlers can be attached; they are called in order, once the file is in its place or the download has
/// failed. What serializers read, and how much, stands at `serializingResponse(using:)`.
extension DownloadRequest {
  /// Calls the handler with the file's place, or with the error, which may carry `resumeData`.
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

  /// Calls the handler with what a serializer makes of the file.
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
  /// - Parameter encoding: its encoding; `nil` means the response's own, as `StringResponseSerializer` finds it.
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
  ///   - decoder: what decodes it; `nil` means the session's, JSON unless told otherwise.
  ///   - emptyResponseCodes: the statuses that may be without a body, of which an `EmptyResponse` such as an optional is
  ///     made; `nil` means the session's, 204 and 205 unless told otherwise.
  ///   - emptyRequestMethods: the methods whose responses may be without one; `nil` means the session's, HEAD unless told
  ///     otherwise.
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

  /// The same, with the error that the service describes in the body of a response that is refused; see
  /// `serializingDecodable(_:error:)`.
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
