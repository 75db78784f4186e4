public import FoundationEssentials
public import HTTPTypes
public import LupineCore

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
