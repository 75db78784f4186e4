public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineSession

extension Session {
  /// Makes a request whose response is delivered as it arrives.
  ///
  /// - Parameters:
  ///   - url: the target; a relative reference is appended to the base URL.
  ///   - method: the HTTP method. Default: GET.
  ///   - parameters: values to send, of any shape.
  ///   - encoder: encodes the parameters and places them in the request; `nil` means the session's encoder, a
  ///     URL-encoded form by default.
  ///   - headers: fields in addition to the session's.
  ///   - window: the maximum number of bytes that wait for the consumer before the transport pauses. Default: 512 KiB.
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    stream(window) {
      try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
    }
  }

  /// Makes a stream request with `Encodable` parameters.
  public func streamRequest<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    stream(window) {
      try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
    }
  }

  /// Makes a stream request with parameters whose values have different types.
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    stream(window) {
      try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
    }
  }

  /// Makes the request that a route describes, and delivers its response as it arrives.
  public func streamRequest(_ route: some RequestConvertible, window: Int = 512 << 10) -> DataStreamRequest {
    stream(window) { try route.asRequest(relativeTo: self.baseURL) }
  }

  func stream(_ window: Int, _ request: () throws -> OutgoingRequest) -> DataStreamRequest {
    let consumer = StreamConsumer(window: max(1, window))
    return DataStreamRequest(makeExecution(handler: consumer, request: request), consumer)
  }
}
