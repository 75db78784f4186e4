public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineSession

/// Makes a request with the default session.
///
/// - Parameters:
///   - url: the target.
///   - method: the request's method. Default: GET.
///   - parameters: the values to send.
///   - encoder: encodes the parameters into the URL or the body; `nil` means a URL-encoded form.
///   - headers: fields in addition to the session's.
public func request(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes a request with the default session and `Encodable` parameters.
public func request<Value: Encodable & Sendable>(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes a request with the default session and parameters of different `Encodable` types.
public func request(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes the request that a route describes, with the default session.
public func request(_ route: some RequestConvertible) -> DataRequest {
  Session.default.request(route)
}

/// Makes a request to a URL with values in its path, with the default session; see `PathTemplate`.
public func request(
  _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
  parameters: Parameters? = nil,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(
    template, path: values, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes a request with `Encodable` parameters to a URL with values in its path, with the default session.
public func request<Value: Encodable & Sendable>(
  _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get, parameters: Value?,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(
    template, path: values, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes a request with parameters of different types to a URL with values in its path, with the default session.
public func request(
  _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
  parameters: [String: any Encodable & Sendable], encoder: (any ParameterEncoder)? = nil,
  headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(
    template, path: values, method: method, parameters: parameters, encoder: encoder, headers: headers)
}
