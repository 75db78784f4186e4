import FoundationEssentials
public import HTTPTypes
public import LupineCore

/// Makes a `PropertyListValue` of the response's body, whichever of a property list's formats it has.
public struct PropertyListResponseSerializer: ResponseSerializer {
  private let input: SerializerInput

  /// Names what may be empty.
  ///
  /// Default: 204, 205 and responses to HEAD.
  public init(
    preprocessor: any DataPreprocessor = .passthrough,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    input = SerializerInput(preprocessor, emptyResponseCodes, emptyRequestMethods)
  }

  init(input: SerializerInput) { self.input = input }

  /// Returns the value; an empty dictionary where the body may be empty and is.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse`, of kind `serializationFailed` where the body is no property list, or
  ///   of kind `limitExceeded(.nesting)` where it is deeper than 512 levels.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> PropertyListValue {
    guard let data = try input.bytes(of: response) else { return .emptyValue() }
    return try PropertyListDecoder().decodeGuarded(PropertyListValue.self, from: data)
  }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
  /// A property list of unknown shape.
  public static var propertyList: Self { Self() }
}
