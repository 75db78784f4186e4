public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineSession

extension Session {
  /// Makes a stream request with nested parameters of different types.
  @_disfavoredOverload
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: (any ParameterValue)?],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    stream(window) {
      try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
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
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: Any?],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    streamRequest(url)
  }
}
