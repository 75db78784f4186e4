public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore

extension ValueRequest {
  /// What a serializer makes of the response, to be awaited.
  public func serializingResponse<Serializer: ResponseSerializer>(
    using serializer: Serializer
  ) -> DataTask<Serializer.Output> {
    DataTask(task, SessionBoundSerializer(serializer, task.session.decodingDefaults))
  }

  private func serializing<Serializer: ResponseSerializer>(
    _ serializer: (DecodingDefaults) -> Serializer
  ) -> DataTask<Serializer.Output> {
    // Asked for once: without the request's type at hand each look costs a copy.
    let task = task
    return DataTask(task, serializer(task.session.decodingDefaults))
  }

  /// The body, to be awaited.
  public func serializingData() -> DataTask<Data> { serializing { $0.data } }

  /// The body as text, to be awaited.
  ///
  /// - Parameter encoding: the body's encoding; `nil` means the response's own, as `StringResponseSerializer` finds it.
  public func serializingString(encoding: TextEncoding? = nil) -> DataTask<String> {
    serializing { $0.string(encoding) }
  }

  /// The body as JSON of any shape, to be awaited.
  public func serializingJSON() -> DataTask<JSONValue> { serializing { $0.json } }

  /// The body as a property list of any shape, to be awaited.
  public func serializingPropertyList() -> DataTask<PropertyListValue> {
    serializing { $0.propertyList }
  }

  /// The body decoded into a type, to be awaited.
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
  ) -> DataTask<Value> {
    serializing { $0.decodable(type, decoder, emptyResponseCodes, emptyRequestMethods) }
  }

  /// The same, with the error that the service describes in the body of a response that is refused.
  ///
  /// Where a validator refuses the response, or its body is no `Value`, the body is decoded as `Failure`, with the same
  /// decoder. The `LupineError` that is thrown is the refusal; its `serviceError(as:)` is the service's error, and so is its
  /// `underlying` where nothing else is. A body that is no `Failure`, or that `Limits.errorBody` has cut, leaves the refusal
  /// as it is. Without a validator no status is refused: see `validate()`.
  public func serializingDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    _ type: Value.Type = Value.self, error: Failure.Type, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DataTask<Value> {
    serializing { $0.decodable(type, error, decoder, emptyResponseCodes, emptyRequestMethods) }
  }
}
