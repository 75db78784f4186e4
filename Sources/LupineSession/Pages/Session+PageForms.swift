public import LupineCore

// The other forms of `pages(of:from:parameters:headers:decoder:limit:configure:)`, as those of `request`.
extension Session {
  /// Requests the pages of a resource, the first of them with parameters of an `Encodable` type.
  public func pages<
    Value: Decodable & Sendable, Query: Encodable & Sendable, Failure: Error & Decodable & Sendable
  >(
    of type: Value.Type = Value.self, from url: some URLConvertible, parameters: Query?,
    headers: RequestHeaders = RequestHeaders(), error: Failure.Type = Never.self,
    decoder: (any DataDecoder)? = nil, limit: Int = 100,
    configure: @escaping @Sendable (DataRequest) -> DataRequest = { $0 }
  ) -> PageSequence<Value> {
    let first = result { try makeOutgoingRequest(url, parameters: parameters, headers: headers) }
    return PageSequence(
      session: self, first: first, error: error, decoder: decoder, limit: limit, configure: configure)
  }

  /// Requests the pages of a resource, the first of them with parameters whose values have different types.
  public func pages<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, from url: some URLConvertible, parameters: [String: any Encodable & Sendable],
    headers: RequestHeaders = RequestHeaders(), error: Failure.Type = Never.self,
    decoder: (any DataDecoder)? = nil, limit: Int = 100,
    configure: @escaping @Sendable (DataRequest) -> DataRequest = { $0 }
  ) -> PageSequence<Value> {
    let first = result { try makeOutgoingRequest(url, parameters: parameters, headers: headers) }
    return PageSequence(
      session: self, first: first, error: error, decoder: decoder, limit: limit, configure: configure)
  }
}
