public import LupineCore

extension OutgoingRequest {
  /// Returns the request with parameters in it, or as it is where they are `nil`.
  ///
  /// - Throws: `LupineError`, as the encoder says.
  public func encoding(
    _ parameters: Parameters?, with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    guard let parameters else { return self }
    return try LupineError.encodingParameters { try encoder.encode(parameters, into: self) }
  }

  /// Returns the request with a value's members as parameters in it, or as it is where the value is `nil`.
  ///
  /// - Throws: `LupineError`, as the encoder says.
  public func encoding<Value: Encodable & Sendable>(
    _ parameters: Value?, with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    guard let parameters else { return self }
    return try LupineError.encodingParameters { try encoder.encode(parameters, into: self) }
  }

  /// Returns the request with parameters in it whose values have types of their own.
  ///
  /// - Throws: `LupineError`, as the encoder says.
  public func encoding(
    _ parameters: [String: any Encodable & Sendable], with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    try LupineError.encodingParameters { try encoder.encode(AnyEncodableParameters(parameters), into: self) }
  }
}
