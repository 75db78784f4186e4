public import LupineCore

/// Puts parameters into a request as a closure says.
public struct ClosureParameterEncoder: ParameterEncoder {
  /// Puts the parameters into the request.
  public typealias Encode = @Sendable (any Encodable & Sendable, OutgoingRequest) throws -> OutgoingRequest

  private let body: Encode

  /// Takes the closure, which may be called concurrently.
  public init(_ encode: @escaping Encode) { body = encode }

  /// Returns what the closure makes of the request.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` with what the closure threw behind it; a `LupineError`
  ///   that the closure throws stays as it is.
  public func encode(
    _ parameters: some Encodable & Sendable, into request: OutgoingRequest
  ) throws -> OutgoingRequest {
    try LupineError.encodingParameters { try body(parameters, request) }
  }
}

extension ParameterEncoder where Self == ClosureParameterEncoder {
  /// A closure that puts the parameters into the request.
  public static func custom(_ encode: @escaping ClosureParameterEncoder.Encode) -> Self {
    ClosureParameterEncoder(encode)
  }
}
