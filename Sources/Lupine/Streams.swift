public import HTTPTypes
public import LupineCoding
public import LupineCore
import LupineSession
public import LupineStreams

/// Makes a stream request, with the default session.
///
/// - Parameter window: the maximum number of bytes that wait for the consumer before the transport pauses. Default:
///   512 KiB.
public func streamRequest(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
) -> DataStreamRequest {
  Session.default.streamRequest(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, window: window)
}

/// Makes a stream request with `Encodable` parameters, with the default session.
public func streamRequest<Value: Encodable & Sendable>(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
) -> DataStreamRequest {
  Session.default.streamRequest(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, window: window)
}

/// Makes a stream request with parameters whose values have different types, with the default session.
public func streamRequest(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
) -> DataStreamRequest {
  Session.default.streamRequest(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, window: window)
}

/// Makes the request that a route describes, and delivers its response as it arrives, with the default session.
public func streamRequest(_ route: some RequestConvertible, window: Int = 512 << 10) -> DataStreamRequest {
  Session.default.streamRequest(route, window: window)
}
