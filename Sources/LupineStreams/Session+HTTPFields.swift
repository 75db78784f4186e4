public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineSession

extension Session {
  /// Makes a stream request with fields of swift-http-types.
  @_disfavoredOverload
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, window: Int = 512 << 10
  ) -> DataStreamRequest {
    streamRequest(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers), window: window)
  }

  /// Makes a stream request with `Encodable` parameters and fields of swift-http-types.
  @_disfavoredOverload
  public func streamRequest<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, window: Int = 512 << 10
  ) -> DataStreamRequest {
    streamRequest(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers), window: window)
  }

  /// Makes a stream request with fields of swift-http-types and parameters whose values have different types.
  @_disfavoredOverload
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, window: Int = 512 << 10
  ) -> DataStreamRequest {
    streamRequest(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers), window: window)
  }
}
