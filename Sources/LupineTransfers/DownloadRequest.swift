public import Dispatch
public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation
public import LupineSession
import LupineSupport
import Synchronization

/// A request whose response is written to a file.
///
/// If a serializer of the file fails, the retriers decide whether the file is downloaded again. This applies to the
/// handlers and the awaited values that were added before the file arrived, up to the first that fails. Their
/// serializers read the complete file, whose digest has been compared, before it is moved to its destination. A retry
/// removes that file and requests the whole file again, also if an earlier download had begun it. The handlers are
/// called once, for the last attempt, and only the file of that attempt is moved to the destination. If no retrier
/// requests a retry, the file is moved there although the serializer failed.
public struct DownloadRequest: SessionRequest {
  /// The execution that the copies share.
  public let execution: RequestExecution
  let consumer: DownloadConsumer

  init(_ execution: RequestExecution, _ consumer: DownloadConsumer) {
    self.execution = execution
    self.consumer = consumer
  }
}

extension DownloadRequest {
  /// Compares the file with a digest before it is moved to its destination.
  ///
  /// A different digest ends the download with kind `digestMismatch`, and the file is removed. The whole file is read
  /// again for the comparison, including what an earlier download wrote. A text that is no digest ends the download
  /// with kind `invalidRequest`, before anything is sent.
  @discardableResult
  public func expecting(_ digest: ExpectedDigest) -> Self {
    consumer.set { $0.settings.digest = digest }
    return self
  }

  /// Sets the maximum size of the file in bytes, after decoding.
  ///
  /// A larger file fails with kind `limitExceeded(.sink)`: at the head if it states the length, otherwise as soon as
  /// the limit is exceeded. Default: no limit.
  @discardableResult
  public func sizeLimit(_ bytes: Int64) -> Self {
    consumer.set { $0.settings.sizeLimit = max(0, bytes) }
    return self
  }

  /// Asks for another URL if the server answers 401, 403, 404 or 410, for example because a signed URL has expired.
  ///
  /// The closure is called once in each attempt, with the head of the response, in a task of the request, off the
  /// caller's actor and off the transport's thread. A cancellation of the request cancels that task. The download
  /// continues at its current offset if the server of the new URL has the same file. Secret fields and credentials are
  /// not sent to another origin. The same holds for a retry, which uses the new URL at once. An error that the closure
  /// throws ends the attempt; a `LupineError` is passed on unchanged.
  @discardableResult
  public func refreshingURL(_ refresh: @escaping @Sendable (HTTPResponse) async throws -> any URLConvertible) -> Self {
    consumer.set { $0.settings.refresh = refresh }
    return self
  }

  /// Stores the resume state in a file, so that a later process can continue the download.
  ///
  /// A download with the same URL and the same checkpoint continues the partial file. The checkpoint is written when
  /// the head arrives. Only its owner may read it, because it holds the URL. It is removed when the download ends,
  /// unless the download can be resumed. Call this method before the download starts.
  ///
  /// If the partial file cannot be continued, for example because the server has another file now, the download
  /// restarts. With `otherwise: .fail` it fails with kind `resumeFailed` instead, and the checkpoint and the partial
  /// file stay unchanged. The same applies to a file at the path that is no checkpoint. If there is no file, or a
  /// checkpoint of another file, the download begins.
  ///
  /// A checkpoint belongs to the file whose URL it has. If the URL changes each time, as signed URLs do, give the file
  /// a name: a checkpoint with this name is continued, whatever its URL. The server must still confirm the file's
  /// strong validator and length. If a checkpoint is not continued, the event `continued` reports the reason.
  ///
  /// Each download needs its own checkpoint. The checkpoint of another download is not overwritten while that download
  /// runs or can be resumed, until it ends or is given up with `discard(checkpoint:)`. A file that is no checkpoint is
  /// not overwritten either, unless it is empty. In these cases this download has no checkpoint, and a warning event
  /// reports it.
  ///
  /// After a power failure the download continues from what is on the disk. A file system that does not write data
  /// before lengths, such as ext4 with `data=writeback`, may have lost bytes within the file: `expecting` a digest
  /// detects that.
  ///
  /// - Parameters:
  ///   - path: the path of the checkpoint file.
  ///   - identity: a name of the file, such as `big.iso`; `nil` means its URL. Default: the URL.
  ///   - policy: what happens if the rest cannot be obtained. Default: restart.
  @discardableResult
  public func checkpoint(
    _ path: String, as identity: String? = nil, otherwise policy: ResumePolicy = .restart
  ) -> Self {
    keep(Checkpoint(path: path), identity, policy)
  }

  /// Stores the resume state under a name in a store of the program's, instead of a file.
  ///
  /// Otherwise the same as `checkpoint(_:as:otherwise:)`; the partial file stays beside the destination. The store is
  /// called from the start of the download to its end, on threads that may wait for disks. An error of
  /// `CheckpointStore.write` ends the download.
  ///
  /// - Parameters:
  ///   - name: the name of the checkpoint in the store.
  ///   - store: the store.
  ///   - identity: a name of the file; `nil` means its URL. Default: the URL.
  ///   - policy: what happens if the rest cannot be obtained. Default: restart.
  @discardableResult
  public func checkpoint(
    _ name: String, in store: any CheckpointStore, as identity: String? = nil,
    otherwise policy: ResumePolicy = .restart
  ) -> Self {
    keep(Checkpoint(name, in: store), identity, policy)
  }

  private func keep(_ checkpoint: Checkpoint, _ identity: String?, _ policy: ResumePolicy) -> Self {
    consumer.set { state in
      if policy == .fail { state.settings.policy = .fail }
      state.settings.checkpoint = checkpoint
      state.settings.identity = identity
    }
    return self
  }

  /// Resumes a GET download automatically after a failure of the connection, without any other retrier.
  ///
  /// Such failures are a connection that is lost or cannot be made, and every timeout except the total one.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of consecutive attempts that bring nothing new. Default: 5.
  ///   - delay: the wait before the first of them, on the session's clock; it doubles each time, up to one minute.
  ///     Default: one second.
  ///   - policy: what happens if the rest cannot be obtained, for example because the server's file has changed.
  ///     Default: restart.
  @discardableResult
  public func resumesAutomatically(
    limit: Int = 5, delay: Duration = .seconds(1), otherwise policy: ResumePolicy = .restart
  ) -> Self {
    if policy == .fail { consumer.set { $0.settings.policy = .fail } }
    return retrier(ResumingRetrier(consumer: consumer, limit: limit, delay: delay))
  }
}

extension DownloadRequest {
  /// Gives up an interrupted download and removes its partial file.
  ///
  /// A file that does not exist, or that a download is writing now, is ignored.
  ///
  /// - Parameter resumeData: the resume data in the error of the interrupted download.
  /// - Throws: `LupineError` of kind `resumeFailed` if the bytes are no resume data.
  public static func discard(_ resumeData: Data) throws(LupineError) {
    PartialFile.reopen(try ResumeState(decoding: resumeData).partialPath, length: nil)?.remove()
  }

  /// Gives up a download whose process ended, and removes its checkpoint and its partial file.
  ///
  /// A file that is no checkpoint, and a partial file that a download is writing now, are not removed. The file system
  /// is used on the caller's thread, which waits.
  ///
  /// - Parameter path: the path that was passed to `checkpoint(_:)`.
  public static func discard(checkpoint path: String) { discard(Checkpoint(path: path)) }

  /// Gives up a download whose process ended, and removes its checkpoint from a store, and its partial file.
  ///
  /// The store and the file system are used on the caller's thread, which waits.
  ///
  /// - Parameters:
  ///   - name: the name that was passed to `checkpoint(_:in:as:otherwise:)`.
  ///   - store: the store.
  public static func discard(checkpoint name: String, in store: any CheckpointStore) {
    discard(Checkpoint(name, in: store))
  }

  /// The progress that resume data, or the state of a checkpoint in a store, prove: the length of the partial file as it
  /// is now, and that of the whole file if it is known.
  ///
  /// `nil` if the data are no resume data, or if there is no partial file that a download can continue. Nothing is
  /// locked, and no content is read: a program can ask while the download runs. The file system is used on the caller's
  /// thread, which waits.
  public static func progress(of resumeData: Data) -> TransferProgress? {
    guard let state = try? ResumeState(decoding: resumeData), let length = state.provenLength else { return nil }
    return TransferProgress(completed: length, total: state.total, resumedBytes: length)
  }

  /// Removes the partial files of downloads in a folder whose processes ended before the downloads could be resumed.
  ///
  /// The first download of a process into a folder does the same. A file is removed only if it belongs to this user, has
  /// the name of a partial file that no resume data and no checkpoint names, and is locked by no process. A file of
  /// another machine, or from before a restart of this one, must also be unchanged for a day. The file system is used
  /// on the caller's thread, which waits.
  ///
  /// - Parameter folder: the folder of the destinations, or the system's temporary folder.
  /// - Returns: the number of files that were removed.
  @discardableResult
  public static func discardAbandonedFiles(in folder: String) -> Int { OrphanedFiles.remove(in: folder) }

  private static func discard(_ checkpoint: Checkpoint) {
    guard case .state(let state) = checkpoint.read() else { return }
    state.removeSuperseded()
    PartialFile.reopen(state.partialPath, length: nil)?.remove()
    checkpoint.remove()
  }
}

/// Any number of handlers can be attached.
///
/// They are called in order, once the file is at its destination or the download has failed. Each handler is called on
/// its `queue`, or off the caller's thread if the queue is `nil`. `serializingResponse(using:)` documents what
/// serializers read and its limit.
extension DownloadRequest {
  /// Calls the handler with the file's URL, or with the error, which may carry `resumeData`.
  ///
  /// - Parameter queue: where the handler is called; `nil` means off the caller's thread.
  @discardableResult
  public func response(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void
  ) -> Self {
    execution.addCompletionHandler { [consumer] execution, outcome in
      let response = DownloadResponse(outcome, consumer.file, in: execution.session)
      await Queueing.call(on: queue) { completionHandler(response) }
    }
    return self
  }

  /// Calls the handler with the serializer's value for the file, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func response<Serializer: ResponseSerializer>(
    queue: DispatchQueue? = nil, responseSerializer: Serializer,
    completionHandler: @escaping @Sendable (DownloadResponse<Serializer.Output>) -> Void
  ) -> Self {
    handle(queue, responseSerializer, completionHandler)
  }

  // Swift 6.3.1 refuses a closure in `.closure { … }` if the parameter's type is generic.
  /// Calls the handler with a closure's value for the file, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func response<Output>(
    queue: DispatchQueue? = nil, responseSerializer: ClosureResponseSerializer<Output>,
    completionHandler: @escaping @Sendable (DownloadResponse<Output>) -> Void
  ) -> Self {
    handle(queue, responseSerializer, completionHandler)
  }

  private func handle<Serializer: ResponseSerializer>(
    _ queue: DispatchQueue?, _ serializer: Serializer,
    _ completionHandler: @escaping @Sendable (DownloadResponse<Serializer.Output>) -> Void
  ) -> Self {
    let serialization = execution.addSerializer(serializer)
    execution.addCompletionHandler { [consumer] execution, outcome in
      let response = await DownloadResponse(outcome, consumer, serialization, in: execution)
      await Queueing.call(on: queue) { completionHandler(response) }
    }
    return self
  }

  /// Calls the handler with the file's bytes, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responseData(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: defaults.dataSerializer, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as text, where `response(queue:completionHandler:)` does.
  ///
  /// - Parameter encoding: the text encoding; `nil` means the response's own, as `StringResponseSerializer` determines
  ///   it.
  @discardableResult
  public func responseString(
    queue: DispatchQueue? = nil, encoding: TextEncoding? = nil,
    completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
  ) -> Self {
    response(
      queue: queue, responseSerializer: defaults.stringSerializer(encoding: encoding),
      completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as JSON of any shape, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responseJSON(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<JSONValue>) -> Void
  ) -> Self {
    response(queue: queue, responseSerializer: defaults.jsonSerializer, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content as a property list, where `response(queue:completionHandler:)` does.
  @discardableResult
  public func responsePropertyList(
    queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<PropertyListValue>) -> Void
  ) -> Self {
    response(
      queue: queue, responseSerializer: defaults.propertyListSerializer, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content decoded into a type, where `response(queue:completionHandler:)` does.
  ///
  /// - Parameters:
  ///   - decoder: what decodes the content; `nil` means the session's decoder, which is JSON by default.
  ///   - emptyResponseCodes: the statuses that may have no body, for which an `EmptyResponse` value such as `nil` is
  ///     made; `nil` means the session's, 204 and 205 by default.
  ///   - emptyRequestMethods: the methods whose responses may have no body; `nil` means the session's, HEAD by default.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, queue: DispatchQueue? = nil, decoder: (any DataDecoder)? = nil,
    emptyResponseCodes: Set<Int>? = nil, emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
  ) -> Self {
    let serializer = defaults.decodableSerializer(
      of: type, decoder: decoder, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
    return response(queue: queue, responseSerializer: serializer, completionHandler: completionHandler)
  }

  /// Calls the handler with the file's content decoded into a type, and decodes service errors as `Failure`.
  ///
  /// The service error is decoded from the body of a refused response; see `serializingDecodable(_:error:)`.
  @discardableResult
  public func responseDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, queue: DispatchQueue? = nil,
    decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int>? = nil,
    emptyRequestMethods: Set<HTTPRequest.Method>? = nil,
    completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
  ) -> Self {
    let serializer = defaults.decodableSerializer(
      of: type, error: error, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
      emptyRequestMethods: emptyRequestMethods)
    return response(queue: queue, responseSerializer: serializer, completionHandler: completionHandler)
  }
}
