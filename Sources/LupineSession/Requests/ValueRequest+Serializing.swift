public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore

extension ValueRequest {
  /// Returns a task for the result of a serializer.
  public func serializingResponse<Serializer: ResponseSerializer>(
    using serializer: Serializer
  ) -> DataTask<Serializer.Output> {
    DataTask(task, SessionBoundSerializer(serializer, task.session.decodingDefaults))
  }

  private func serializing<Serializer: ResponseSerializer>(
    _ serializer: (DecodingDefaults) -> Serializer
  ) -> DataTask<Serializer.Output> {
    // Read once, because each access through the protocol copies.
    let task = task
    return DataTask(task, serializer(task.session.decodingDefaults))
  }

  /// Returns a task for the body.
  public func serializingData() -> DataTask<Data> { serializing { $0.data } }

  /// Returns a task for the body as text.
  ///
  /// - Parameter encoding: the body's encoding; `nil` uses the response's, as `StringResponseSerializer` determines it.
  public func serializingString(encoding: TextEncoding? = nil) -> DataTask<String> {
    serializing { $0.string(encoding) }
  }

  /// Returns a task for the body as JSON of any shape.
  public func serializingJSON() -> DataTask<JSONValue> { serializing { $0.json } }

  /// Returns a task for the body as a property list of any shape.
  public func serializingPropertyList() -> DataTask<PropertyListValue> {
    serializing { $0.propertyList }
  }

  /// Returns a task for the body decoded into a type.
  ///
  /// - Parameters:
  ///   - decoder: decodes the body; `nil` uses the session's decoder, by default JSON.
  ///   - emptyResponseCodes: the statuses that may have no body, which gives an `EmptyResponse` such as an optional;
  ///     `nil` uses the session's, by default 204 and 205.
  ///   - emptyRequestMethods: the methods whose responses may have no body; `nil` uses the session's, by default HEAD.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DataTask<Value> {
    serializing { $0.decodable(type, decoder, emptyResponseCodes, emptyRequestMethods) }
  }

  /// Returns a task for the decoded body, or for the service's error from the body of a refused response.
  ///
  /// If a validator refuses the response, or the body cannot be decoded as `Value`, the body is decoded as `Failure`
  /// with the same decoder. The task throws the refusal as a `LupineError`. Its `serviceError(as:)` returns the
  /// service's error; so does its `underlying`, if it has no other. If the body cannot be decoded as `Failure`, or was
  /// cut at `Limits.errorBody`, the refusal is unchanged. Without a validator no status is refused; see `validate()`.
  public func serializingDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    _ type: Value.Type = Value.self, error: Failure.Type, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DataTask<Value> {
    serializing { $0.decodable(type, error, decoder, emptyResponseCodes, emptyRequestMethods) }
  }
}
