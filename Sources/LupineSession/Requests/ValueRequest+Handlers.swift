public import Dispatch
public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import LupineSupport

extension ValueRequest {
  /// Calls the handler with the unserialized response, including its body.
  ///
  /// - Parameter queue: the queue of the call; `nil` calls the handler off the caller's thread.
  @discardableResult
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<Data?>) -> Void
  ) -> Self {
    handle(queue, UnserializedResponse(), completionHandler)
  }

  /// Calls the handler with the result of a serializer.
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
  /// - Parameter encoding: the body's encoding; `nil` uses the response's, as `StringResponseSerializer` determines it.
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
  ///   - decoder: decodes the body; `nil` uses the session's decoder, by default JSON.
  ///   - emptyResponseCodes: the statuses that may have no body, which gives an `EmptyResponse` such as an optional;
  ///     `nil` uses the session's, by default 204 and 205.
  ///   - emptyRequestMethods: the methods whose responses may have no body; `nil` uses the session's, by default HEAD.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, queue: DispatchQueue? = nil, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
  ) -> Self {
    handle(queue, defaults.decodable(type, decoder, emptyResponseCodes, emptyRequestMethods), completionHandler)
  }

  /// Calls the handler with the decoded body, or with the service's error from the body of a refused response.
  ///
  /// See `serializingDecodable(_:error:)`.
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

/// Returns the unchanged body; `nil` if there was none.
struct UnserializedResponse: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> Data? { response.data.isEmpty ? nil : response.data }
}
