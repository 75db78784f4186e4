import FoundationEssentials
public import HTTPTypes
public import LupineCore

/// Makes a `JSONValue` of the response's body, which is UTF-8 or marked UTF-16 or UTF-32.
public struct JSONResponseSerializer: ResponseSerializer {
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

  /// Returns the value; `null` where the body may be empty and is.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse`, of kind `serializationFailed` where the body is no JSON, or of kind
  ///   `limitExceeded(.nesting)` where it is deeper than 512 levels.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> JSONValue {
    guard let data = try input.bytes(of: response) else { return .null }
    return try JSONDecoder().decodeGuarded(JSONValue.self, from: data)
  }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
  /// JSON of unknown shape.
  public static var json: Self { Self() }

  /// JSON of unknown shape, after a preprocessor such as `.googleXSSI`.
  public static func json(preprocessor: any DataPreprocessor) -> Self { Self(preprocessor: preprocessor) }
}
