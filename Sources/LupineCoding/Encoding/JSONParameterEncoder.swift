public import LupineCore
public import LupineFoundation

/// Puts parameters into the body as JSON.
public struct JSONParameterEncoder: ParameterEncoder {
  private let makeEncoder: @Sendable () -> JSONEncoder

  /// Makes an encoder from a closure, because a `JSONEncoder` is mutable and is not shared.
  ///
  /// The closure is called once for each request, when the request is made, on the caller's thread; calls may be
  /// concurrent.
  public init(_ makeEncoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }) {
    self.makeEncoder = makeEncoder
  }

  /// Writes with these formatting options.
  public init(formatting: JSONEncoder.OutputFormatting) {
    self.init {
      let encoder = JSONEncoder()
      encoder.outputFormatting = formatting
      return encoder
    }
  }

  /// Compact, with names in unspecified order.
  public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }

  /// Compact, with names sorted.
  public static var sortedKeys: JSONParameterEncoder { JSONParameterEncoder(formatting: .sortedKeys) }

  /// On indented lines.
  public static var prettyPrinted: JSONParameterEncoder { JSONParameterEncoder(formatting: .prettyPrinted) }

  /// Returns the request with the parameters as its body.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` if the parameters cannot be encoded, or of kind
  ///   `invalidRequest` if the method is HEAD or TRACE, or GET without the option `allowsBodyWithGET`.
  public func encode(
    _ parameters: some Encodable & Sendable, into request: OutgoingRequest
  ) throws -> OutgoingRequest {
    try RequestRules.checkBodyAllowed(in: request)
    var request = request
    let data = try LupineError.encodingParameters {
      let encoder = makeEncoder()
      try NestingCheck.check(parameters, userInfo: encoder.userInfo)
      return try encoder.encode(parameters)
    }
    request.setBody(data, contentType: "application/json")
    return request
  }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
  /// JSON in the body.
  public static var json: Self { JSONParameterEncoder() }

  /// JSON in the body, with formatting options.
  public static func json(formatting: JSONEncoder.OutputFormatting) -> Self {
    JSONParameterEncoder(formatting: formatting)
  }

  /// JSON in the body, written by the encoder that the closure makes.
  ///
  /// The closure is called once for each request, when the request is made, on the caller's thread; calls may be
  /// concurrent.
  public static func json(_ makeEncoder: @escaping @Sendable () -> JSONEncoder) -> Self {
    JSONParameterEncoder(makeEncoder)
  }
}
