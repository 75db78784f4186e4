public import LupineCore

/// Puts parameters into a request with a closure.
public struct ClosureParameterEncoder: ParameterEncoder {
  /// Puts the parameters into the request.
  public typealias Encode = @Sendable (any Encodable & Sendable, OutgoingRequest) throws -> OutgoingRequest

  private let body: Encode

  /// Makes an encoder from a closure, which may be called concurrently.
  public init(_ encode: @escaping Encode) { body = encode }

  /// Returns the request that the closure returns.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` with the closure's error as `underlying`; a
  ///   `LupineError` that the closure throws is passed on unchanged.
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
