public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation

extension Session {
  /// Makes a request with fields of swift-http-types.
  @_disfavoredOverload
  public func request(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
  ) -> DataRequest {
    request(url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers))
  }

  /// Makes a request with `Encodable` parameters and fields of swift-http-types.
  @_disfavoredOverload
  public func request<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
  ) -> DataRequest {
    request(url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers))
  }

  /// Makes a request with fields of swift-http-types and parameters whose values have different types.
  @_disfavoredOverload
  public func request(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
  ) -> DataRequest {
    request(url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers))
  }

  /// Returns a request with fields of swift-http-types.
  @_disfavoredOverload
  public func makeOutgoingRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
  ) throws -> OutgoingRequest {
    try makeOutgoingRequest(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers))
  }

  /// Returns a request with `Encodable` parameters and fields of swift-http-types.
  @_disfavoredOverload
  public func makeOutgoingRequest<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
  ) throws -> OutgoingRequest {
    try makeOutgoingRequest(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers))
  }

  /// Returns a request with fields of swift-http-types and parameters whose values have different types.
  @_disfavoredOverload
  public func makeOutgoingRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
  ) throws -> OutgoingRequest {
    try makeOutgoingRequest(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers))
  }

  /// Sends a body with fields of swift-http-types.
  @_disfavoredOverload
  public func upload(
    _ body: RequestBody, to url: some URLConvertible, method: HTTPRequest.Method = .post, headers: HTTPFields,
    expectsContinue: Bool = false
  ) -> UploadRequest {
    upload(body, to: url, method: method, headers: RequestHeaders(headers), expectsContinue: expectsContinue)
  }

  /// Sends bytes with fields of swift-http-types.
  @_disfavoredOverload
  public func upload(
    _ data: Data, to url: some URLConvertible, method: HTTPRequest.Method = .post, headers: HTTPFields,
    expectsContinue: Bool = false
  ) -> UploadRequest {
    upload(.bytes(data), to: url, method: method, headers: RequestHeaders(headers), expectsContinue: expectsContinue)
  }
}
