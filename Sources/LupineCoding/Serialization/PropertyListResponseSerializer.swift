import FoundationEssentials
public import HTTPTypes
public import LupineCore

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
    return try PropertyListDecoder().decodeGuarded(PropertyListValue.self, from: data)
  }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
  /// A property list of unknown shape.
  public static var propertyList: Self { Self() }
}
