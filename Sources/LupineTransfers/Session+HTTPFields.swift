public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation
public import LupineSession

extension Session {
  /// Writes the response of a request with fields of swift-http-types to a file.
  @_disfavoredOverload
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers), to: destination)
  }

  /// Writes the response of a request with `Encodable` parameters and fields of swift-http-types to a file.
  @_disfavoredOverload
  public func download<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers), to: destination)
  }

  /// Writes the response of a request with fields of swift-http-types and parameters of different types to a file.
  @_disfavoredOverload
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(
      url, method: method, parameters: parameters, encoder: encoder, headers: RequestHeaders(headers), to: destination)
  }

  /// Resumes an interrupted download with fields of swift-http-types.
  @_disfavoredOverload
  public func download(
    resumingWith resumeData: Data, url: (any URLConvertible)? = nil, headers: HTTPFields,
    to destination: DownloadDestination? = nil, otherwise policy: ResumePolicy = .restart
  ) -> DownloadRequest {
    download(resumingWith: resumeData, url: url, headers: RequestHeaders(headers), to: destination, otherwise: policy)
  }
}
