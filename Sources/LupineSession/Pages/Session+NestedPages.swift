public import LupineCoding
public import LupineCore

extension Session {
  /// Requests the pages of a resource, the first of them with nested parameters of different types.
  @_disfavoredOverload
  public func pages<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, from url: some URLConvertible, parameters: [String: (any ParameterValue)?],
    headers: RequestHeaders = RequestHeaders(), error: Failure.Type = Never.self,
    decoder: (any DataDecoder)? = nil, limit: Int = 100,
    configure: @escaping @Sendable (DataRequest) -> DataRequest = { $0 }
  ) -> PageSequence<Value> {
    let first = result { try makeOutgoingRequest(url, parameters: parameters, headers: headers) }
    return PageSequence(
      session: self, first: first, error: error, decoder: decoder, limit: limit, configure: configure)
  }

  /// Makes the compiler report a value that cannot be a parameter; see `ParameterValue`.
  @available(
    *, unavailable,
    message: """
      A nested literal takes literals and ParameterValues. Write `.parameterValue` behind an array or a dictionary in a \
      variable, and `extension T: ParameterValue {}` for an Encodable type of yours.
      """
  )
  @_disfavoredOverload
  public func pages<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, from url: some URLConvertible, parameters: [String: Any?],
    headers: RequestHeaders = RequestHeaders(), error: Failure.Type = Never.self,
    decoder: (any DataDecoder)? = nil, limit: Int = 100,
    configure: @escaping @Sendable (DataRequest) -> DataRequest = { $0 }
  ) -> PageSequence<Value> {
    pages(of: type, from: url, error: error)
  }
}
