public import FoundationEssentials
public import HTTPTypes

/// What a session decodes response bodies with, where a serializer names nothing of its own.
///
/// `ReceivedResponse.decodingDefaults` hands it to every serializer.
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

  /// Joins the parts.
  public init(
    decoder: any DataDecoder = JSONDecoder(), preprocessor: (any DataPreprocessor)? = nil,
    emptyResponseRules: EmptyResponseRules? = nil
  ) {
    self.decoder = decoder
    self.preprocessor = preprocessor
    self.emptyResponseRules = emptyResponseRules
  }
}

/// Makes a value of any `Decodable` type from bytes: `JSONDecoder`, `PropertyListDecoder`, or one of another format.
///
/// It may be called from several threads at once.
public protocol DataDecoder: Sendable {
  /// Decodes one value that takes up all of the bytes.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

/// Changes a response's body before it is made into a value.
///
/// It is not called for an empty body. What it throws becomes the `underlying` error of kind `serializationFailed`.
public protocol DataPreprocessor: Sendable {
  /// Returns the bytes to serialize.
  func preprocess(_ data: Data) throws -> Data
}

/// Which responses may be without a body although a serializer makes a value of them.
///
/// Any other empty response is an error of kind `emptyResponse`.
public struct EmptyResponseRules: Sendable, Hashable {
  /// The statuses that may be without a body.
  public var codes: Set<Int>
  /// The methods whose responses may be without a body.
  public var methods: Set<HTTPRequest.Method>

  /// The statuses that HTTP itself leaves without a body: 204 and 205.
  public static let defaultCodes: Set<Int> = [204, 205]
  /// The method whose responses have no body: HEAD.
  public static let defaultMethods: Set<HTTPRequest.Method> = [.head]

  /// Names the statuses and methods.
  ///
  /// Default: 204 and 205, and HEAD.
  public init(
    codes: Set<Int> = EmptyResponseRules.defaultCodes,
    methods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    self.codes = codes
    self.methods = methods
  }

  /// Whether this response may be without a body.
  public func allow(_ response: ReceivedResponse) -> Bool {
    codes.contains(response.statusCode) || methods.contains(response.request.method)
  }
}
