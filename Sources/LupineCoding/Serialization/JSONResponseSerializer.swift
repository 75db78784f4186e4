import FoundationEssentials
public import HTTPTypes
public import LupineCore

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
    return try JSONDecoder().decodeGuarded(JSONValue.self, from: data)
  }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
  /// JSON of unknown shape.
  public static var json: Self { Self() }

  /// JSON of unknown shape, after a preprocessor such as `.googleXSSI`.
  public static func json(preprocessor: any DataPreprocessor) -> Self { Self(preprocessor: preprocessor) }
}
