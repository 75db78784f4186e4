public import FoundationEssentials
public import HTTPTypes
public import LupineCore

/// Gives the response's body as it is.
public struct DataResponseSerializer: ResponseSerializer {
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

  /// Returns the body; no bytes where it may be empty and is.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse` where it may not.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> Data {
    try input.bytes(of: response) ?? Data()
  }
}

extension ResponseSerializer where Self == DataResponseSerializer {
  /// The body as it is.
  public static var data: Self { Self() }
}
