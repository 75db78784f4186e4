public import Dispatch
public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import LupineSupport

extension ValueRequest {
  /// Calls the handler with the response as it came, body and all, and no serializer.
  ///
  /// - Parameter queue: where the handler is called; `nil` means off the caller's thread.
  @discardableResult
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<Data?>) -> Void
  ) -> Self {
    handle(queue, UnserializedResponse(), completionHandler)
  }

  /// Calls the handler with what a serializer makes of the response.
  @discardableResult
  public func response<Serializer: ResponseSerializer>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
  ) -> Self {
    handle(queue, SessionBoundSerializer(responseSerializer, defaults), completionHandler)
  }

  private func handle<Serializer: ResponseSerializer>(
    _ queue: DispatchQueue?, _ serializer: Serializer,
    _ handler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
  ) -> Self {
    task.add { task, outcome in
      let response = await Serialization.response(from: outcome, with: serializer, of: task)
      await Queueing.call(on: queue) { handler(response) }
    }
    return self
  }

  /// Calls the handler with the body.
  @discardableResult
  public func responseData(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void
  ) -> Self {
    handle(queue, defaults.data, completionHandler)
  }

  /// Calls the handler with the body as text.
  ///
  /// - Parameter encoding: the body's encoding; `nil` means the response's own, as `StringResponseSerializer` finds it.
  @discardableResult
  public func responseString(
    queue: DispatchQueue? = nil, encoding: TextEncoding? = nil,
    completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
  ) -> Self {
    handle(queue, defaults.string(encoding), completionHandler)
  }

  /// Calls the handler with the body as JSON of any shape.
  @discardableResult
  public func responseJSON(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<JSONValue>) -> Void
  ) -> Self {
    handle(queue, defaults.json, completionHandler)
  }

  /// Calls the handler with the body as a property list of any shape.
  @discardableResult
  public func responsePropertyList(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<PropertyListValue>) -> Void
  ) -> Self {
    handle(queue, defaults.propertyList, completionHandler)
  }

  /// Calls the handler with the body decoded into a type.
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
    completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
  ) -> Self {
    handle(queue, defaults.decodable(type, decoder, emptyResponseCodes, emptyRequestMethods), completionHandler)
  }

  /// The same, with the error that the service describes in the body of a response that is refused; see
  /// `serializingDecodable(_:error:)`.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, queue: DispatchQueue? = nil,
    decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int>? = nil,
    emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
  ) -> Self {
    handle(
      queue, defaults.decodable(type, error, decoder, emptyResponseCodes, emptyRequestMethods), completionHandler)
  }

  var defaults: DecodingDefaults { task.session.decodingDefaults }
}

/// Hands the body on as it came; `nil` where there was none.
struct UnserializedResponse: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> Data? { response.data.isEmpty ? nil : response.data }
}
