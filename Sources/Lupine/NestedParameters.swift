public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineSession
public import LupineStreams
public import LupineTransfers

/// Makes a request with nested parameters of different types, with the default session.
@_disfavoredOverload
public func request(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: (any ParameterValue)?],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
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
public func request(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: Any?],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(url)
}

/// Makes a request with nested parameters to a URL with values in its path, with the default session.
@_disfavoredOverload
public func request(
  _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
  parameters: [String: (any ParameterValue)?], encoder: (any ParameterEncoder)? = nil,
  headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(
    template, path: values, method: method, parameters: parameters, encoder: encoder, headers: headers)
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
public func request(
  _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
  parameters: [String: Any?], encoder: (any ParameterEncoder)? = nil,
  headers: RequestHeaders = RequestHeaders()
) -> DataRequest {
  Session.default.request(template, path: values)
}

/// Writes the response of a request with nested parameters to a file, with the default session.
@_disfavoredOverload
public func download(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: (any ParameterValue)?],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
  to destination: DownloadDestination = .temporary
) -> DownloadRequest {
  Session.default.download(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: destination)
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
public func download(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: Any?],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
  to destination: DownloadDestination = .temporary
) -> DownloadRequest {
  Session.default.download(url)
}

/// Makes a stream request with nested parameters of different types, with the default session.
@_disfavoredOverload
public func streamRequest(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: (any ParameterValue)?],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
) -> DataStreamRequest {
  Session.default.streamRequest(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, window: window)
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
public func streamRequest(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: Any?],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
) -> DataStreamRequest {
  Session.default.streamRequest(url)
}
