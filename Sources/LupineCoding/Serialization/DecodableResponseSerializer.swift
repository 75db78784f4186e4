import FoundationEssentials
public import HTTPTypes
public import LupineCore

/// Decodes the response's body.
public struct DecodableResponseSerializer<Output: Decodable & Sendable>: ResponseSerializer {
  private let decoder: (any DataDecoder)?
  private let input: SerializerInput

  /// Creates a serializer with a decoder and the conditions for an empty body.
  ///
  /// Without a decoder, the session's decoder is used. This also applies if a custom serializer passes the response
  /// that it received to this one. A response without a session is decoded as JSON.
  ///
  /// Default: the session's decoder; 204, 205 and responses to HEAD may be empty.
  public init(
    of type: Output.Type = Output.self, decoder: (any DataDecoder)? = nil,
    preprocessor: any DataPreprocessor = .passthrough,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    self.decoder = decoder
    input = SerializerInput(preprocessor, emptyResponseCodes, emptyRequestMethods)
  }

  init(decoder: any DataDecoder, input: SerializerInput) {
    self.decoder = decoder
    self.input = input
  }

  /// Returns the decoded value, or the type's empty value if the body is empty and may be.
  ///
  /// JSON and property lists are decoded up to 512 levels deep.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse`, also if the body may be empty but the type is no `EmptyResponse`;
  ///   of kind `serializationFailed` if the body cannot be decoded; of kind `limitExceeded(.nesting)`.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> Output {
    guard let data = try input.bytes(of: response) else { return try emptyValue(of: response) }
    if let decoder { return try decoder.decodeGuarded(Output.self, from: data) }
    return try (response.decodingDefaults?.decoder ?? JSONDecoder()).decodeGuarded(Output.self, from: data)
  }

  private func emptyValue(of response: ReceivedResponse) throws(LupineError) -> Output {
    if let type = Output.self as? any EmptyResponse.Type, let value = type.emptyValue() as? Output { return value }
    throw LupineError(
      .emptyResponse,
      "The response has no body, and `\(Output.self)` has no value for that. Decode `Empty` or an optional, or let the "
        + "type conform to `EmptyResponse`.")
  }
}

extension ResponseSerializer {
  /// A value decoded from the body, by the session's decoder if none is given.
  public static func decodable<Value>(
    of type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) -> Self where Self == DecodableResponseSerializer<Value> {
    DecodableResponseSerializer(
      of: type, decoder: decoder, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
  }
}
