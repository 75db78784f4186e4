public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineSession

extension Session {
  /// Writes the response of a request with nested parameters of different types to a file.
  @_disfavoredOverload
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: (any ParameterValue)?],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
    to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) {
      try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
    }
  }

  /// Writes the response of a request with nested parameters of different types to the file of a path or a file URL.
  @_disfavoredOverload
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: (any ParameterValue)?],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
    to file: some DownloadedFileConvertible
  ) -> DownloadRequest {
    download(
      url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: file.downloadDestination)
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
    download(url)
  }
}
