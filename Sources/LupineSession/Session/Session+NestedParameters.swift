public import HTTPTypes
public import LupineCoding
public import LupineCore

extension Session {
  /// Makes a request with nested parameters of different types.
  @_disfavoredOverload
  public func request(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: (any ParameterValue)?],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) -> DataRequest {
    DataRequest(
      makeExecution {
        try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
      })
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
    request(url)
  }

  /// Returns a request with nested parameters of different types.
  @_disfavoredOverload
  public func makeOutgoingRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: (any ParameterValue)?],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) throws -> OutgoingRequest {
    let request = OutgoingRequest(url: try url.asURL(relativeTo: baseURL), method: method, headers: try headers.fields)
    let encoder = encoder ?? configuration.parameterEncoder
    return try request.beforeOptions { (request) throws(LupineError) in try request.encoding(parameters, with: encoder)
    }
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
  public func makeOutgoingRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: Any?],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) throws -> OutgoingRequest {
    try makeOutgoingRequest(url)
  }

  /// Makes a request with nested parameters of different types to a URL whose path has values.
  @_disfavoredOverload
  public func request(
    _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
    parameters: [String: (any ParameterValue)?], encoder: (any ParameterEncoder)? = nil,
    headers: RequestHeaders = RequestHeaders()
  ) -> DataRequest {
    request(PathTemplate(template, values), method: method, parameters: parameters, encoder: encoder, headers: headers)
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
    request(template, path: values)
  }
}
