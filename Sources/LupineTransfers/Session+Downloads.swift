public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineSession
import Synchronization

extension Session {
  /// Writes a response to a file.
  ///
  /// The file is written beside its destination and moved there when all of it has arrived; a download that fails leaves
  /// what was at the destination as it was. Only a response with status 200..<300 is written, and none of 204 and 205.
  /// Where the server allows it, a retry continues where the last attempt broke off, and the error of an interrupted
  /// download carries `resumeData`; the partial file then stays beside the destination until it is resumed, or given up
  /// with `DownloadRequest.discard(_:)`. A file that arrived whole and could not be moved stays, too, and the error names
  /// it. Before it is moved the file is brought to its disk (`fsync`), which takes the disk's time.
  ///
  /// - Parameters:
  ///   - url: where from; a relative reference is appended to the base URL.
  ///   - method: what is asked. Default: GET.
  ///   - parameters: values to send, of any shape.
  ///   - encoder: where they go and how; `nil` means the session's own, a URL-encoded form unless told otherwise.
  ///   - headers: fields besides the session's.
  ///   - destination: where to. Default: a new file in the system's temporary folder.
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields(),
    to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) { try describe(url, method, headers, parameters, encoder) }
  }

  /// Writes a response to a file, of a request with parameters of a program's own type.
  public func download<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields(),
    to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) { try describe(url, method, headers, parameters, encoder) }
  }

  /// Writes a response to a file, of a request with parameters whose values have types of their own.
  public func download(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields(),
    to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) {
      try describe(url, method, headers, AnyEncodableParameters(parameters), encoder)
    }
  }

  /// Writes the response to a route's request to a file.
  public func download(
    _ route: some RequestConvertible, to destination: DownloadDestination = .temporary
  ) -> DownloadRequest {
    download(to: destination, resume: nil) { try route.asRequest(relativeTo: self.baseURL) }
  }

  /// Continues a download that was interrupted.
  ///
  /// Where the server's file has changed meanwhile the download begins anew: what was there before is never mixed with
  /// what comes now.
  ///
  /// - Parameters:
  ///   - resumeData: what the interrupted download's error carried.
  ///   - url: where from, where the first URL has expired; `nil` means the same.
  ///   - headers: the fields of the request; those of the first download are not kept, for they may be secret.
  ///   - destination: where to; `nil` means where the first download was to go. Where that is another file system, what
  ///     there is of the file is moved there first.
  ///   - policy: what happens when the rest cannot be had. Default: restart.
  public func download(
    resumingWith resumeData: Data, url: (any URLConvertible)? = nil, headers: HTTPFields = HTTPFields(),
    to destination: DownloadDestination? = nil, otherwise policy: ResumePolicy = .restart
  ) -> DownloadRequest {
    let state = Result { () throws(LupineError) in try ResumeState(decoding: resumeData) }
    let chosen = destination ?? (try? state.get())?.destination ?? .temporary
    return download(to: chosen, resume: try? state.get(), policy: policy) {
      let state = try state.get()
      return OutgoingRequest(url: try (url ?? state.url).asURL(relativeTo: self.baseURL), headers: headers)
    }
  }

  private func download(
    to destination: DownloadDestination, resume: ResumeState?, policy: ResumePolicy = .restart,
    _ describe: () throws -> OutgoingRequest
  ) -> DownloadRequest {
    let consumer = DownloadConsumer(destination: destination, resume: resume, policy: policy)
    let task = makeTask(consumer) {
      try destination.check()
      return try describe()
    }
    let request = DownloadRequest(task, consumer)
    if let url = try? request.task.description.get().url { consumer.state.withLock { $0.url = url } }
    return request
  }
}
