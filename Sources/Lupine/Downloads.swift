public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation
import LupineSession
public import LupineTransfers

/// Writes the response of a request to a file, with the default session.
public func download(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
  to destination: DownloadDestination = .temporary
) -> DownloadRequest {
  Session.default.download(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: destination)
}

/// Writes the response of a request with `Encodable` parameters to a file, with the default session.
public func download<Value: Encodable & Sendable>(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
  to destination: DownloadDestination = .temporary
) -> DownloadRequest {
  Session.default.download(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: destination)
}

/// Writes the response of a request with parameters whose values have different types to a file, with the default
/// session.
public func download(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
  to destination: DownloadDestination = .temporary
) -> DownloadRequest {
  Session.default.download(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: destination)
}

/// Writes a response to the file of a path or a file URL, with the default session.
public func download(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
  encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
  to file: some DownloadedFileConvertible
) -> DownloadRequest {
  Session.default.download(url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: file)
}

/// Writes the response of a route's request to the file of a path or a file URL, with the default session.
public func download(_ route: some RequestConvertible, to file: some DownloadedFileConvertible) -> DownloadRequest {
  Session.default.download(route, to: file)
}

/// Resumes an interrupted download, with the default session.
public func download(
  resumingWith resumeData: Data, url: (any URLConvertible)? = nil, headers: RequestHeaders = RequestHeaders(),
  to destination: DownloadDestination? = nil, otherwise policy: ResumePolicy = .restart
) -> DownloadRequest {
  Session.default.download(resumingWith: resumeData, url: url, headers: headers, to: destination, otherwise: policy)
}

/// Writes the response of a route's request to a file, with the default session.
public func download(_ route: some RequestConvertible, to destination: DownloadDestination = .temporary)
  -> DownloadRequest
{ Session.default.download(route, to: destination) }
