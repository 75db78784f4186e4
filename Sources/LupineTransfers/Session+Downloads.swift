public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation
public import LupineSession
import Synchronization

extension Session {
  /// Writes a response to a file.
  ///
  /// The file is written beside its destination and moved there when it is complete. A download that fails leaves an
  /// existing file at the destination unchanged. Only a response with status 200..<300 is written, except 204 and 205.
  ///
  /// If the server supports it, a retry continues where the last attempt was interrupted, and the error of an
  /// interrupted download carries `resumeData`. The partial file then stays beside the destination until it is resumed
  /// or given up with `DownloadRequest.discard(_:)`. A complete file that cannot be moved also stays, and the error
  /// names it. Before the move the file is flushed to its disk (`fsync`), which may take time.
  ///
  /// - Parameters:
  ///   - url: the source; a relative reference is appended to the base URL.
  ///   - method: the HTTP method. Default: GET.
  ///   - parameters: values to send, of any shape.
  ///   - encoder: encodes the parameters and places them in the request; `nil` means the session's encoder, a
  ///     URL-encoded form by default.
  ///   - headers: fields in addition to the session's.
  ///   - destination: where the file is stored. Default: a new file in the system's temporary folder.
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
    to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) {
      try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
    }
  }

  /// Writes the response of a request with `Encodable` parameters to a file.
  public func download<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
    to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) {
      try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
    }
  }

  /// Writes the response of a request with parameters whose values have different types to a file.
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
    to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) {
      try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
    }
  }

  /// Writes the response of a route's request to a file.
  public func download(
    _ route: some RequestConvertible, to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) { try route.asRequest(relativeTo: self.baseURL) }
  }

  /// Writes a response to the file of a path or a file URL.
  ///
  /// A file that exists there is an error; `.file(path, .removePreviousFile)` replaces it.
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
    to file: some DownloadedFileConvertible
  ) -> DownloadRequest {
    download(
      url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: file.downloadDestination)
  }

  /// Writes the response of a request with `Encodable` parameters to the file of a path or a file URL.
  public func download<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
    to file: some DownloadedFileConvertible
  ) -> DownloadRequest {
    download(
      url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: file.downloadDestination)
  }

  /// Writes the response of a request with parameters whose values have different types to the file of a path or a file
  /// URL.
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders(),
    to file: some DownloadedFileConvertible
  ) -> DownloadRequest {
    download(
      url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: file.downloadDestination)
  }

  /// Writes the response of a route's request to the file of a path or a file URL.
  public func download(
    _ route: some RequestConvertible, to file: some DownloadedFileConvertible
  ) -> DownloadRequest {
    download(route, to: file.downloadDestination)
  }

  /// Resumes an interrupted download.
  ///
  /// If the server's file has changed meanwhile, the download restarts: bytes of two versions are never mixed.
  ///
  /// - Parameters:
  ///   - resumeData: the resume data in the error of the interrupted download.
  ///   - url: the source if the first URL has expired; `nil` means the first URL.
  ///   - headers: the fields of the request; those of the first download are not stored, because they may be secret.
  ///   - destination: where the file is stored; `nil` means the destination of the first download. If it is on another
  ///     file system, the partial file is moved there first.
  ///   - policy: what happens if the rest cannot be obtained. Default: restart.
  public func download(
    resumingWith resumeData: Data, url: (any URLConvertible)? = nil, headers: RequestHeaders = RequestHeaders(),
    to destination: DownloadDestination? = nil, otherwise policy: ResumePolicy = .restart
  ) -> DownloadRequest {
    let state = Result { () throws(LupineError) in try ResumeState(decoding: resumeData) }
    let chosen = destination ?? (try? state.get())?.destination ?? .temporary
    return download(to: chosen, resume: try? state.get(), policy: policy) {
      let state = try state.get()
      return OutgoingRequest(url: try (url ?? state.url).asURL(relativeTo: self.baseURL), headers: try headers.fields)
    }
  }

  func download(
    to destination: DownloadDestination, resume: ResumeState?, policy: ResumePolicy = .restart,
    _ request: () throws -> OutgoingRequest
  ) -> DownloadRequest {
    let consumer = DownloadConsumer(destination: destination, resume: resume, policy: policy)
    let execution = makeExecution(handler: consumer) {
      try destination.check()
      return try request()
    }
    if let url = try? execution.original.get().url { consumer.set { $0.url = url } }
    return DownloadRequest(execution, consumer)
  }
}
