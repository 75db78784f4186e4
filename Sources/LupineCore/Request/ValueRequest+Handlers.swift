public import Dispatch
public import FoundationEssentials

extension ValueRequest {
  /// Calls the handler with the response as it came, body and all, and no serializer.
  ///
  /// - Parameter queue: where the handler is called; `nil` means off the caller's thread.
  @discardableResult
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<Data?>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: UnserializedResponse(), completionHandler: completionHandler)
  }

  /// Calls the handler with what a serializer makes of the response.
  @discardableResult
  public func response<Serializer: ResponseSerializer>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
  ) -> Self {
    task.add { task, outcome in
      let response = await Serialization.response(from: outcome, with: responseSerializer, of: task)
      await Queueing.call(on: queue) { completionHandler(response) }
    }
    return self
  }

  /// Calls the handler with the body.
  @discardableResult
  public func responseData(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: serializers.data, completionHandler: completionHandler)
  }

  /// Calls the handler with the body as text.
  ///
  /// - Parameter encoding: the body's encoding; `nil` means the response's own, as `StringResponseSerializer` finds it.
  @discardableResult
  public func responseString(
    queue: DispatchQueue? = nil, encoding: TextEncoding? = nil,
    completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
  ) -> Self {
    response(
      queue: queue, responseSerializer: serializers.string(encoding),
      completionHandler: completionHandler)
  }

  /// Calls the handler with the body as JSON of any shape.
  @discardableResult
  public func responseJSON(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<JSONValue>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: serializers.json, completionHandler: completionHandler)
  }

  /// Calls the handler with the body as a property list of any shape.
  @discardableResult
  public func responsePropertyList(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<PropertyListValue>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: serializers.propertyList, completionHandler: completionHandler)
  }

  /// Calls the handler with the body decoded into a type.
  ///
  /// - Parameter decoder: what decodes it; `nil` means the session's, JSON unless told otherwise.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, queue: DispatchQueue? = nil, decoder: (any DataDecoder)? = nil,
    completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
  ) -> Self {
    response(
      queue: queue, responseSerializer: serializers.decodable(type, decoder), completionHandler: completionHandler)
  }

  var serializers: SessionSerializers { task.session.serializers }
}

/// Hands the body on as it came; `nil` where there was none.
struct UnserializedResponse: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> Data? { response.data.isEmpty ? nil : response.data }
}
