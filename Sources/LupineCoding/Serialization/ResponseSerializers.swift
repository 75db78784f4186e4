public import HTTPTypes
public import LupineCore
public import LupineFoundation
import LupineSupport

/// Returns the response's body unchanged.
public struct DataResponseSerializer: ResponseSerializer {
  private let input: SerializerInput

  /// Creates a serializer with the conditions for an empty body.
  ///
  /// Default: 204, 205 and responses to HEAD may be empty.
  public init(
    preprocessor: any DataPreprocessor = .passthrough,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    input = SerializerInput(preprocessor, emptyResponseCodes, emptyRequestMethods)
  }

  init(input: SerializerInput) { self.input = input }

  /// Returns the body; empty data if the body is empty and may be.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse` if the body is empty and may not be.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> Data {
    try input.bytes(of: response) ?? Data()
  }
}

extension ResponseSerializer where Self == DataResponseSerializer {
  /// The body unchanged.
  public static var data: Self { Self() }
}

/// Decodes the response's body as text.
///
/// The encoding is the given one, else the `charset` of the response, else that of a byte order mark, else UTF-8 for
/// JSON (RFC 8259 section 8.1), else ISO 8859-1. If the `charset` is unknown and the body is valid UTF-8, the text is
/// UTF-8, and the event `warning` names the charset.
public struct StringResponseSerializer: ResponseSerializer {
  private let encoding: TextEncoding?
  private let input: SerializerInput

  /// Creates a serializer with an encoding and the conditions for an empty body.
  ///
  /// Default: the response's encoding; 204, 205 and responses to HEAD may be empty.
  public init(
    encoding: TextEncoding? = nil, preprocessor: any DataPreprocessor = .passthrough,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    self.encoding = encoding
    input = SerializerInput(preprocessor, emptyResponseCodes, emptyRequestMethods)
  }

  init(encoding: TextEncoding?, input: SerializerInput) {
    self.encoding = encoding
    self.input = input
  }

  /// Returns the text; an empty text if the body is empty and may be.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse`, or of kind `serializationFailed` if a byte is invalid in the
  ///   encoding or the encoding is unknown.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> String {
    guard let data = try input.bytes(of: response) else { return "" }
    if let encoding { return try encoding.decode(data) }
    let mediaType = response.head.headerFields.singleton(.contentType).flatMap { MediaType($0) }
    if let charset = mediaType?.charset { return try text(data, in: TextEncoding(charset), response) }
    if let mark = ByteOrderMark(startOf: data) { return try mark.encoding.decode(data) }
    return try (mediaType?.isJSON == true ? TextEncoding.utf8 : .isoLatin1).decode(data)
  }

  /// Decodes text in the encoding that the response names; UTF-8 stands in for an unknown one.
  private func text(
    _ data: Data, in encoding: TextEncoding, _ response: ReceivedResponse
  ) throws(LupineError) -> String {
    guard !encoding.isKnown, let text = try? TextEncoding.utf8.decode(data) else { return try encoding.decode(data) }
    response.warn?(
      "The charset \(encoding.name.escapingControls(limit: 64)) of the response is unknown. Its bytes are valid UTF-8 and "
        + "were decoded as such.")
    return text
  }
}

extension ResponseSerializer where Self == StringResponseSerializer {
  /// Text, in the encoding that the response names.
  public static var string: Self { Self() }

  /// Text in this encoding, regardless of the response's `charset`.
  public static func string(encoding: TextEncoding) -> Self { Self(encoding: encoding) }
}

/// Decodes the response's body, in UTF-8 or in UTF-16 or UTF-32 with a byte order mark, as a `JSONValue`.
public struct JSONResponseSerializer: ResponseSerializer {
  private let input: SerializerInput

  /// Creates a serializer with the conditions for an empty body.
  ///
  /// Default: 204, 205 and responses to HEAD may be empty.
  public init(
    preprocessor: any DataPreprocessor = .passthrough,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    input = SerializerInput(preprocessor, emptyResponseCodes, emptyRequestMethods)
  }

  init(input: SerializerInput) { self.input = input }

  /// Returns the value; `null` if the body is empty and may be.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse`, of kind `serializationFailed` if the body is no JSON, or of kind
  ///   `limitExceeded(.nesting)` if it is deeper than 512 levels.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> JSONValue {
    guard let data = try input.bytes(of: response) else { return .null }
    return try JSONDecoder().decodeGuarded(JSONValue.self, from: data, contentType: response.contentType)
  }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
  /// JSON of unknown shape.
  public static var json: Self { Self() }

  /// JSON of unknown shape, after a preprocessor such as `.googleXSSI`.
  public static func json(preprocessor: any DataPreprocessor) -> Self { Self(preprocessor: preprocessor) }
}

/// Decodes the response's body, in any of the property list formats, as a `PropertyListValue`.
public struct PropertyListResponseSerializer: ResponseSerializer {
  private let input: SerializerInput

  /// Creates a serializer with the conditions for an empty body.
  ///
  /// Default: 204, 205 and responses to HEAD may be empty.
  public init(
    preprocessor: any DataPreprocessor = .passthrough,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    input = SerializerInput(preprocessor, emptyResponseCodes, emptyRequestMethods)
  }

  init(input: SerializerInput) { self.input = input }

  /// Returns the value; an empty dictionary if the body is empty and may be.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse`, of kind `serializationFailed` if the body is no property list, or
  ///   of kind `limitExceeded(.nesting)` if it is deeper than 512 levels.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> PropertyListValue {
    guard let data = try input.bytes(of: response) else { return .emptyValue() }
    return try PropertyListDecoder().decodeGuarded(
      PropertyListValue.self, from: data, contentType: response.contentType)
  }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
  /// A property list of unknown shape.
  public static var propertyList: Self { Self() }
}

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
    let decoder = decoder ?? response.decodingDefaults?.decoder ?? JSONDecoder()
    return try decoder.decodeGuarded(Output.self, from: data, contentType: response.contentType)
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

extension ReceivedResponse {
  /// The `Content-Type` field for the error of a decoder; an empty text if there is none.
  fileprivate var contentType: String { head.headerFields[.contentType] ?? "" }
}

/// The built-in serializers with a session's settings, for `Session.decodingDefaults`.
extension DecodingDefaults {
  private var input: SerializerInput { SerializerInput(preprocessor: preprocessor, rules: emptyResponseRules) }

  /// The serializer that returns the body.
  public var dataSerializer: DataResponseSerializer { DataResponseSerializer(input: input) }

  /// The serializer of JSON of any shape.
  public var jsonSerializer: JSONResponseSerializer { JSONResponseSerializer(input: input) }

  /// The serializer of a property list of any shape.
  public var propertyListSerializer: PropertyListResponseSerializer { PropertyListResponseSerializer(input: input) }

  /// Returns the serializer of text.
  ///
  /// - Parameter encoding: the body's encoding; `nil` uses the response's, as `StringResponseSerializer` determines it.
  public func stringSerializer(encoding: TextEncoding? = nil) -> StringResponseSerializer {
    StringResponseSerializer(encoding: encoding, input: input)
  }

  /// Returns the serializer that decodes the body into a type.
  ///
  /// - Parameters:
  ///   - decoder: decodes the body; `nil` uses `decoder` of these settings.
  ///   - emptyResponseCodes: the statuses that may have no body; `nil` uses those of these settings.
  ///   - emptyRequestMethods: the methods whose responses may have no body; `nil` uses those of these settings.
  public func decodableSerializer<Value>(
    of type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int>? = nil,
    emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> DecodableResponseSerializer<Value> {
    DecodableResponseSerializer(
      decoder: decoder ?? self.decoder, input: input.allowing(emptyResponseCodes, emptyRequestMethods))
  }

  /// Returns the serializer that decodes the body into a type, and the service's error from a body that is refused.
  ///
  /// Both use the same decoder; see `FailureExplaining`.
  public func decodableSerializer<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil
  ) -> some ResponseSerializer<Value> & FailureExplaining {
    ServiceErrorSerializer(
      base: decodableSerializer(
        of: type, decoder: decoder, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
      reader: ServiceErrorReader(error, decoder: decoder ?? self.decoder, input: input))
  }

  /// Returns the reader that decodes a service's error from the body that an error carries.
  ///
  /// For a request without a serializer, such as a stream.
  ///
  /// - Parameter decoder: decodes the body; `nil` uses `decoder` of these settings.
  public func serviceErrorReader<Failure: Error & Decodable & Sendable>(
    of error: Failure.Type, decoder: (any DataDecoder)? = nil
  ) -> some FailureExplaining {
    ServiceErrorReader(error, decoder: decoder ?? self.decoder, input: input)
  }
}
