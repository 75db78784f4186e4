public import FoundationEssentials

extension ValueRequest {
  /// What a serializer makes of the response, to be awaited.
  public func serializingResponse<Serializer: ResponseSerializer>(
    using serializer: Serializer
  ) -> DataTask<Serializer.Output> {
    DataTask(task, serializer)
  }

  /// The body, to be awaited.
  public func serializingData() -> DataTask<Data> { serializingResponse(using: serializers.data) }

  /// The body as text, to be awaited.
  ///
  /// - Parameter encoding: the body's encoding; `nil` means the response's own, as `StringResponseSerializer` finds it.
  public func serializingString(encoding: TextEncoding? = nil) -> DataTask<String> {
    serializingResponse(using: serializers.string(encoding))
  }

  /// The body as JSON of any shape, to be awaited.
  public func serializingJSON() -> DataTask<JSONValue> { serializingResponse(using: serializers.json) }

  /// The body as a property list of any shape, to be awaited.
  public func serializingPropertyList() -> DataTask<PropertyListValue> {
    serializingResponse(using: serializers.propertyList)
  }

  /// The body decoded into a type, to be awaited.
  ///
  /// - Parameter decoder: what decodes it; `nil` means the session's, JSON unless told otherwise.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil
  ) -> DataTask<Value> {
    serializingResponse(using: serializers.decodable(type, decoder))
  }
}
