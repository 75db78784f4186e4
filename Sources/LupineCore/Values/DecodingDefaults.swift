public import HTTPTypes
public import LupineFoundation

/// The settings with which a session decodes a response body if the serializer has none of its own.
///
/// Every serializer receives them in `ReceivedResponse.decodingDefaults`.
public struct DecodingDefaults: Sendable {
  /// Decodes `Decodable` values.
  ///
  /// Default: a `JSONDecoder`.
  public var decoder: any DataDecoder
  /// Changes a body before it is decoded.
  ///
  /// Default: `nil`, which leaves the body as it is.
  public var preprocessor: (any DataPreprocessor)?
  /// Which responses may have no body.
  ///
  /// Default: `nil`, which means `EmptyResponseRules()`.
  public var emptyResponseRules: EmptyResponseRules?

  /// Creates the settings.
  public init(
    decoder: any DataDecoder = JSONDecoder(), preprocessor: (any DataPreprocessor)? = nil,
    emptyResponseRules: EmptyResponseRules? = nil
  ) {
    self.decoder = decoder
    self.preprocessor = preprocessor
    self.emptyResponseRules = emptyResponseRules
  }
}

/// Decodes a value of any `Decodable` type from bytes: `JSONDecoder`, `PropertyListDecoder`, or a decoder of another
/// format.
///
/// It may be called from several threads at once.
public protocol DataDecoder: Sendable {
  /// Decodes one value from all of the bytes.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

/// Changes a response's body before serialization.
///
/// It is not called for an empty body. An error that it throws becomes the `underlying` error of kind
/// `serializationFailed`.
public protocol DataPreprocessor: Sendable {
  /// Returns the bytes to serialize.
  func preprocess(_ data: Data) throws -> Data
}

/// The responses that may be empty although a serializer expects a body.
///
/// Any other empty response is an error of kind `emptyResponse`.
public struct EmptyResponseRules: Sendable, Hashable {
  /// The status codes whose responses may be empty.
  public var codes: Set<Int>
  /// The methods whose responses may be empty.
  public var methods: Set<HTTPRequest.Method>

  /// The status codes without content: 204 and 205 (RFC 9110 section 15.3).
  public static let defaultCodes: Set<Int> = [204, 205]
  /// The method whose responses have no content: HEAD (RFC 9110 section 9.3.2).
  public static let defaultMethods: Set<HTTPRequest.Method> = [.head]

  /// Sets the status codes and the methods.
  ///
  /// Default: 204 and 205, and HEAD.
  public init(
    codes: Set<Int> = EmptyResponseRules.defaultCodes,
    methods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    self.codes = codes
    self.methods = methods
  }

  /// Whether this response may be empty.
  public func allow(_ response: ReceivedResponse) -> Bool {
    codes.contains(response.statusCode) || methods.contains(response.request.method)
  }
}
